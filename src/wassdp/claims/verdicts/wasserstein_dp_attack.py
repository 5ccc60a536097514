"""WDP, "Comparability" and Table 2: a budget of Wasserstein DP as a bound on an attacker's success.

A case is one number released with noise, on two data sets equally likely, told apart by the best test there is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.claims.inequality import Inequality


@dataclass(frozen=True)
class Release:
    """Two outputs ``distance`` apart, under noise of this kind and scale."""

    noise: str
    distance: float
    scale: float

    def __str__(self) -> str:
        return f"{self.noise} noise of scale {self.scale:.6g}, outputs W = {self.distance:.6g} apart"


def _draw(generator: np.random.Generator) -> Release:
    noise = "Laplace" if generator.random() < 0.5 else "Gaussian"
    return Release(noise, float(10 ** generator.uniform(-2, 1)), float(10 ** generator.uniform(-2, 1)))


def _success(found: Release) -> float:
    """Of the best test, (1 + total variation)/2, in closed form."""
    half = found.distance / (2 * found.scale)
    if found.noise == "Laplace":
        return 1 - 0.5 * math.exp(-half)
    return float(stats.norm.cdf(half))


def _ratio(found: Release) -> float:
    """The success over what a budget of W is said to allow."""
    return _success(found) / attack_success(found.distance)


def _divergence(found: Release) -> float:
    """In place of W the largest log-ratio, which the definition of DP bounds; infinite for Gaussian noise."""
    epsilon = found.distance / found.scale if found.noise == "Laplace" else math.inf
    return _success(found) / attack_success(epsilon)


def _verified(found: Release) -> float:
    """The attacker's success by a sum over a fine grid of outputs, of the larger density each."""
    low, high = -40 * found.scale, found.distance + 40 * found.scale
    outputs = np.linspace(low, high, 200_001)
    if found.noise == "Laplace":
        first, second = (np.exp(-np.abs(outputs - mean) / found.scale) for mean in (0.0, found.distance))
    else:
        first, second = (np.exp(-0.5 * ((outputs - mean) / found.scale) ** 2) for mean in (0.0, found.distance))
    success = 0.5 * np.maximum(first / first.sum(), second / second.sum()).sum()
    return float(success * (1 + math.exp(-found.distance)))


def _simpler(found: Release) -> Iterator[Release]:
    for digits in (0, 1, 2):
        distance, scale = round(found.distance, digits), round(found.scale, digits)
        if distance > 0 and scale > 0 and (distance, scale) != (found.distance, found.scale):
            yield Release(found.noise, distance, scale)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Comparability",
    place="Additional Specifications, comparability (3), and the caption of Table 2",
    statement="a Wasserstein budget gives the probability that an attack succeeds, as that of DP does",
    formula="P(A) ≤ 1/(1 + e^{-ε}) for every (μ, ε)-WDP mechanism, both data sets with probability 1/2",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_divergence,
    simpler=_simpler,
    compared="success / stated",
)
