r"""One release (U, XU + V) of SWD for two rows at distance 1, and what Proposition 2 states of it.

Given the directions it is the Gaussian mechanism with squared sensitivity H, and they do not depend on the data:
δ(ε) = E_H δ_Gauss(ε; √H/σ). Claims search with the law of H rounded up, and are confirmed with drawn directions. With
little noise δ(ε) nears P(H > w), since what ε has beyond w/(2σ²) is then small beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from scipy import stats

from wassdp.accounting.profiles.gaussian import GaussianMixture
from wassdp.claims import shrinking
from wassdp.claims.projections import beyond, law, simulated

POINTS = 1 << 14
STEPS = 33
Bound = Callable[[int, int, float], float]
"""w(k, d, δ)."""


@dataclass(frozen=True)
class Release:
    """k directions, dimension d, noise σ, the order α and δ of the statement."""

    projections: int
    dimension: int
    noise: float
    order: float
    delta: float

    def __str__(self) -> str:
        return (
            f"k = {self.projections}, d = {self.dimension}, σ = {self.noise:.6g}, α = {self.order:.6g}, "
            f"δ = {self.delta:.6g}"
        )


def draw(generator: np.random.Generator, counts: tuple[int, ...]) -> Release:
    """Much noise and very little; an order near the best one, where the statement says most."""
    k, d = int(generator.choice(counts)), int(generator.choice((2, 3, 10, 50)))
    noise, delta = 10 ** generator.uniform(-4, 1), 0.5 * 10 ** -generator.uniform(0, 6)
    best = math.sqrt(2 * noise**2 * math.log(2 / delta) / (k / d + math.log(2 / delta)))
    return Release(k, d, float(noise), float(1 + best * 10 ** generator.uniform(-0.5, 0.5)), float(delta))


def ratio(case: Release, bound: Bound) -> float:
    """δ of the release at the ε stated, from above, over the δ stated."""
    epsilon = stated(case, bound)
    mixture = _mixture(case.projections, case.dimension)
    scaled = GaussianMixture(mixture.variances / case.noise**2, mixture.weights)
    return float(scaled.delta(np.array([epsilon]))[0]) / case.delta


@lru_cache(maxsize=64)
def _mixture(projections: int, dimension: int) -> GaussianMixture:
    """H rounded up to a grid."""
    above = law(projections, dimension, POINTS)
    # What rounding up puts beyond the grid is at most k, as H is.
    rest = max(0.0, 1.0 - float(above.above.sum()))
    grid = np.minimum(above.step * np.arange(above.above.size), projections)
    return GaussianMixture(np.append(grid, projections), np.append(above.above, rest))


def stated(case: Release, bound: Bound) -> float:
    """The ε that Proposition 2 states."""
    w = bound(case.projections, case.dimension, case.delta / 2)
    return case.order * w / (2 * case.noise**2) + math.log(2 / case.delta) / (case.order - 1)


def plain(case: Release, bound: Bound) -> float:
    """The same from below: drawn directions, a plain formula, and five standard errors less."""
    means = np.sqrt(simulated(case.projections, case.dimension)) / case.noise
    deltas = _plain_delta(_plainly_stated(case, bound), means)
    return float(deltas.mean() - 5 * deltas.std() / math.sqrt(deltas.size)) / case.delta


def plain_of_many(case: Release, bound: Bound) -> float:
    """The same from below for some thirty directions or more, however rare the H that count: at steps of H's tail.

    δ(ε; √H/σ) grows with H, so that E δ is at least a sum over steps h of δ(ε; √h/σ) P(h < H < next h).
    """
    k, d = case.projections, case.dimension
    epsilon = _plainly_stated(case, bound)
    # δ(ε; m) is about 1/2 where m²/2 = ε, and goes from 0 to 1 within a few m around.
    middle, width = 2 * epsilon * case.noise**2, 2 * math.sqrt(2 * epsilon) * case.noise**2
    steps = [h for h in middle + width * np.linspace(-4, 4, STEPS) if k / d < h < k]
    if not steps:
        return 0.0
    tails = [*(beyond(k, d, float(h)) for h in steps), 0.0]
    deltas = _plain_delta(epsilon, np.sqrt(steps) / case.noise)
    return float(np.dot(deltas, -np.diff(tails))) / case.delta


def _plainly_stated(case: Release, bound: Bound) -> float:
    w = bound(case.projections, case.dimension, case.delta / 2)
    return case.order * w / (2 * case.noise**2) + math.log(2 / case.delta) / (case.order - 1)


def _plain_delta(epsilon: float, means: np.ndarray) -> np.ndarray:
    first = stats.norm.sf(epsilon / means - means / 2)
    second = np.exp(np.minimum(epsilon + stats.norm.logsf(epsilon / means + means / 2), 0.0))
    return np.asarray(first - second)


def quantile(k: int, d: int, tail: float) -> float:
    """The least w with P(H > w) ≤ tail, or a little more."""
    return law(k, d, POINTS).quantile(tail)[1]


def plain_quantile(k: int, d: int, tail: float) -> float:
    """The same to four digits, by halving; for some thirty directions or more."""
    low, high = k / d, float(k)
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(k, d, middle) > tail else (low, middle)
    return high


def printed_bernstein(k: int, d: int, tail: float) -> float:
    """Equation 6."""
    log_term = math.log(1 / tail)
    return k / d + 2 / 3 * log_term + 2 / d * math.sqrt(k * (d - 1) / (d + 2) * log_term)


def printed_central_limit(k: int, d: int, tail: float) -> float:
    """The normal law of H's mean and variance."""
    return NormalDist(k / d, math.sqrt(2 * k * (d - 1) / (d**2 * (d + 2)))).inv_cdf(1 - tail)


def mean(k: int, d: int, tail: float) -> float:
    """E H: no bound at all."""
    return k / d


def simpler(case: Release, least: int) -> Iterator[Release]:
    """Fewer directions, a lower dimension, more noise and so a smaller ε, rounder numbers."""
    yield from shrinking.smaller(case, "projections", least=least)
    yield from shrinking.smaller(case, "dimension", least=2)
    for times in (10.0, 2.0):
        yield replace(case, noise=times * case.noise, order=1 + times * (case.order - 1))
    for other in shrinking.rounder(case, "noise", "order"):
        if other.noise > 0 and other.order > 1:
            yield other
    for delta in (0.1, 0.01, 1e-3, 1e-4, 1e-5):
        if delta > case.delta:
            yield replace(case, delta=delta)
