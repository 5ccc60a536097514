"""A number released with noise: the outputs on two neighbours are one law, moved by the sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import numpy as np

from wassdp.accounting.formulas.mechanisms import Mechanism, coupled_wasserstein, printed_wasserstein
from wassdp.claims.laws import orders


@dataclass(frozen=True)
class Translates:
    """One additive mechanism and an order.

    Args:
        noise: ``laplace`` or ``gaussian``.
        scale: λ of the Laplace law, or σ.
        sensitivity: Δ, by which the outputs are moved.
        order: μ.
        renyi_order: α, where a statement has one.
    """

    noise: Mechanism
    scale: float
    sensitivity: float
    order: float
    renyi_order: float = math.inf

    def __str__(self) -> str:
        alpha = "" if math.isinf(self.renyi_order) else f", α = {self.renyi_order:.12g}"
        numbers = (f"{value:.12g}" for value in (self.scale, self.sensitivity, self.order))
        return "{} noise of scale {}, Δ = {}, μ = {}".format(self.noise, *numbers) + alpha

    def distance(self) -> float:
        """W_μ, from the quantile functions of both outputs."""
        return coupled_wasserstein(self.noise, self.scale, self.order, sensitivity=self.sensitivity, points=200)

    def printed(self) -> float:
        """The budget of Table 1."""
        return printed_wasserstein(self.noise, self.scale, self.order, sensitivity=self.sensitivity)


def laplace(generator: np.random.Generator) -> Translates:
    """Laplace noise; scale, sensitivity and order at random."""
    return _drawn(generator, "laplace")


def gaussian(generator: np.random.Generator) -> Translates:
    """Gaussian noise, likewise."""
    return _drawn(generator, "gaussian")


def _drawn(generator: np.random.Generator, noise: Mechanism) -> Translates:
    scale, sensitivity = 10 ** generator.uniform(-1, 1, size=2)
    orders = (1.0, 2.0, 1 + 9 * generator.random())
    alpha = float(generator.choice([1.5, 2.0, 16.0, math.inf]))
    return Translates(noise, float(scale), float(sensitivity), float(generator.choice(orders)), alpha)


def simpler(found: Translates) -> Iterator[Translates]:
    """With orders, a scale and a sensitivity that are rounder and nearer to 1."""
    for order in orders(found.order):
        yield replace(found, order=order)
    if not math.isinf(found.renyi_order):
        yield replace(found, renyi_order=math.inf)
    for name in ("sensitivity", "scale"):
        for value in rounder(getattr(found, name)):
            changed: dict[str, Any] = {name: value}
            yield replace(found, **changed)


def finite_order(found: Translates) -> Translates:
    """With α = 2 for an infinite one."""
    return replace(found, renyi_order=2.0) if math.isinf(found.renyi_order) else found


def simpler_at_order(found: Translates) -> Iterator[Translates]:
    """As `simpler`, and α = 2 in place of infinity."""
    for nearer in simpler(found):
        if not (math.isinf(nearer.renyi_order) and found.renyi_order == 2):
            yield finite_order(nearer)


def rounder(value: float) -> Iterator[float]:
    """Numbers above 0 that are nearer to 1, or have fewer digits."""
    digits = len(f"{value:.12g}".strip("0").replace(".", ""))
    for plain in (1.0, 2.0, 0.5, float(f"{value:.1g}"), float(f"{value:.2g}")):
        fewer = len(f"{plain:.12g}".strip("0").replace(".", "")) < digits
        if plain > 0 and (fewer or abs(math.log(plain)) < abs(math.log(value)) - 1e-9):
            yield plain


def moved_means(found: Translates) -> mpmath.mpf:
    """A lower bound of every W_μ that shares nothing with quantiles: by how much the means differ, by quadrature."""
    scale, shift = mpmath.mpf(found.scale), mpmath.mpf(found.sensitivity)

    def mean(centre: mpmath.mpf) -> mpmath.mpf:
        return mpmath.quad(
            lambda x: x * density(found, x - centre),
            [centre - 60 * scale, centre - scale, centre, centre + scale, centre + 60 * scale],
        )

    return mean(shift) - mean(mpmath.mpf(0))


def density(found: Translates, x: mpmath.mpf) -> mpmath.mpf:
    """Density of the noise."""
    scale = mpmath.mpf(found.scale)
    if found.noise == "laplace":
        return mpmath.exp(-abs(x) / scale) / (2 * scale)
    return mpmath.npdf(x, 0, scale)


def divergence(found: Translates) -> mpmath.mpf:
    """Kullback-Leibler divergence of the two outputs, by quadrature."""
    scale, shift = mpmath.mpf(found.scale), mpmath.mpf(found.sensitivity)
    cuts = sorted({-60 * scale, -scale, mpmath.mpf(0), shift, shift + scale, shift + 60 * scale})

    def gain(x: mpmath.mpf) -> mpmath.mpf:
        return density(found, x) * (mpmath.log(density(found, x)) - mpmath.log(density(found, x - shift)))

    return mpmath.quad(gain, cuts)
