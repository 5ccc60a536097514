"""Steps of a Poisson-sampled Gaussian mechanism, and bounds of their distances by other formulas than the library's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import mpmath
import numpy as np
from scipy import stats

from wassdp.accounting.formulas import sampled_wasserstein
from wassdp.claims.laws import orders
from wassdp.claims.translates import rounder


@dataclass(frozen=True)
class Step:
    """One step; with and without a record, its gradient differs by d.

    Args:
        rate: q.
        distance: d.
        noise_std: σ.
        order: μ.
    """

    rate: float
    distance: float
    noise_std: float
    order: float

    def __str__(self) -> str:
        return f"q = {self.rate:.12g}, d = {self.distance:.12g}, σ = {self.noise_std:.12g}, μ = {self.order:.12g}"

    def exact(self) -> float:
        """W_μ."""
        return sampled_wasserstein.exact_loss(self.rate, self.distance, self.noise_std, self.order)

    def printed(self) -> float:
        """The loss of Theorem 2 for one component."""
        return sampled_wasserstein.printed_loss(self.rate, self.distance, self.noise_std, self.order)

    def coupled(self) -> float:
        """q^(1/μ) d."""
        return sampled_wasserstein.bound(self.rate, self.distance, self.order)


@dataclass(frozen=True)
class Run(Step):
    """Equal and independent steps, with distances in the norm of order μ: powers W_μ^μ of steps add up.

    Args:
        steps: T.
        beta: β of the tail bound.
        delta: δ of the tail bound.
    """

    steps: int
    beta: float
    delta: float

    def __str__(self) -> str:
        return f"{super().__str__()}, T = {self.steps}, β = {self.beta:.12g}, δ = {self.delta:.12g}"

    def whole(self) -> float:
        """W_μ of all steps."""
        return float(self.steps ** (1 / self.order) * self.exact())


def draw(generator: np.random.Generator) -> Step:
    """Rates from 0.001 to 1, gradients from much smaller than the noise to a hundred times it."""
    noise = 10 ** generator.uniform(-2, 1)
    return Step(
        rate=float(10 ** generator.uniform(-3, 0)),
        distance=float(noise * 10 ** generator.uniform(-1.5, 2)),
        noise_std=float(noise),
        order=float(generator.choice([1.0, 2.0, 4.0, 16.0])),
    )


def draw_run(generator: np.random.Generator) -> Run:
    """Such steps, one or many, with the paper's values of β and δ among others."""
    return Run(
        **asdict(draw(generator)),
        steps=int(generator.choice([1, 1, 4, 100])),
        beta=float(generator.choice([1.0, 32.0])),
        delta=float(generator.choice([1e-10, 1e-5, 1e-3])),
    )


def simpler(found: Step) -> Iterator[Step]:
    """With rounder numbers."""
    for order in orders(found.order):
        yield replace(found, order=order)
    for name in ("rate", "distance", "noise_std"):
        for value in rounder(getattr(found, name)):
            if name != "rate" or value < 1 or found.rate == 1:
                yield replace(found, **{name: value})


def simpler_run(found: Run) -> Iterator[Step]:
    """With one step, or with rounder numbers."""
    if found.steps > 1:
        yield replace(found, steps=1)
    yield from simpler(found)


def moment(order: float, mean: float, variance: float) -> mpmath.mpf:
    """(E|Z|^μ)^{1/μ} of a normal variable, by quadrature; the mean alone where the variance is 0."""
    spread = mpmath.sqrt(variance)
    if spread == 0:
        return mpmath.mpf(abs(mean))
    cuts = sorted({mpmath.mpf(0), *(mpmath.mpf(mean) + k * spread for k in (-40, -12, -6, -3, 0, 3, 6, 12, 40))})
    return mpmath.quad(lambda z: abs(z) ** order * mpmath.npdf(z, mean, spread), cuts) ** (mpmath.mpf(1) / order)


def quadrature(found: Step) -> mpmath.mpf:
    """The loss of Theorem 2 for one component, by quadrature."""
    variance = (2 - 2 * found.rate + 2 * found.rate**2) * found.noise_std**2
    return moment(found.order, found.rate * found.distance, variance)


def at_least(found: Step) -> float:
    """A lower bound of W_μ: the means differ by qd, and no point of a cell moves less than its ends allow."""
    return max(found.rate * found.distance, by_cells(found)[0])


def at_most(found: Step) -> float:
    """An upper bound of W_μ: the same noise on both sides and d moved with probability q, or the ends of cells."""
    return min(math.exp(math.log(found.rate) / found.order + math.log(found.distance)), by_cells(found)[1])


def by_cells(found: Step) -> tuple[float, float]:
    """Bounds of W_μ: cells of a normal variable's line, and where their ends are moved, found by bisection."""
    ends = np.arange(-12.0, 12.0, 0.01)
    shift = found.distance / found.noise_std
    low, high = ends.copy(), ends + shift
    for _ in range(80):
        middle = (low + high) / 2
        mixed = (1 - found.rate) * stats.norm.sf(middle) + found.rate * stats.norm.sf(middle - shift)
        low, high = (
            np.where(mixed > stats.norm.sf(ends), middle, low),
            np.where(mixed > stats.norm.sf(ends), high, middle),
        )
    mass = -np.diff(stats.norm.sf(ends))
    nearest, farthest = np.maximum(low[:-1] - ends[1:], 0.0), np.minimum(high[1:] - ends[:-1], shift)
    rest = 2 * stats.norm.sf(11.98) * shift**found.order
    sums = (mass @ nearest**found.order, mass @ farthest**found.order + rest)
    least, most = (found.noise_std * float(value) ** (1 / found.order) for value in sums)
    return least, most
