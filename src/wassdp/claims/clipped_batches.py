"""Noisy sums of clipped gradients, numbers of size at most 1, of a batch drawn without replacement."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

POINTS = 4001
PLACES = 300  # between which one law comes to be above a multiple of the other at most once
MOST = 7  # records, so that every batch can be drawn


@dataclass(frozen=True)
class Batches:
    """Gradients of all records but one, gradients of that one before and after, b, σ and ε."""

    others: tuple[float, ...]
    replaced: tuple[float, float]
    batch: int
    noise_std: float
    epsilon: float

    def __str__(self) -> str:
        others = " ".join(f"{value:.4g}" for value in self.others)
        before, after = self.replaced
        sizes = f"batches of {self.batch} of {len(self.others) + 1}, σ = {self.noise_std:.4g}, ε = {self.epsilon:.4g}"
        return f"gradients {others}, another {before:.4g} or {after:.4g}, {sizes}"

    @property
    def rate(self) -> float:
        """The sampling rate b/N."""
        return self.batch / (len(self.others) + 1)


def draw(generator: np.random.Generator) -> Batches:
    """Up to `MOST` records; in half of the cases the others have no gradient, and one is turned round."""
    records = int(generator.integers(2, MOST + 1))
    others, replaced = generator.uniform(-1, 1, size=records - 1), generator.uniform(-1, 1, size=2)
    if generator.random() < 0.5:
        others, replaced = np.zeros(records - 1), np.array([1.0, -1.0])
    return Batches(
        tuple(others.tolist()),
        (float(replaced[0]), float(replaced[1])),
        int(generator.integers(1, records)),
        float(10 ** generator.uniform(-0.5, 1)),
        float(generator.uniform(0.2, 3)),
    )


def sampled(case: Batches) -> float:
    """δ at ε' = ln(1 + q(e^ε − 1)) of the sum of a random batch, of both orders of the two data sets."""
    before, after = (_means(case, value) for value in case.replaced)
    ends = 12 * case.noise_std + len(case.others) + 1
    places = np.linspace(-ends, ends, POINTS)
    one, other = (stats.norm.pdf(places[:, None], means, case.noise_std).mean(axis=1) for means in (before, after))
    factor = 1 + case.rate * math.expm1(case.epsilon)
    excess = (np.trapezoid(np.maximum(p - factor * q, 0), places) for p, q in ((one, other), (other, one)))
    return float(max(excess))


def whole(case: Batches, shift: float) -> float:
    """δ at ε of Gaussian noise where a batch's gradients change by ``shift`` at most."""
    away = shift / case.noise_std
    far = case.epsilon / away
    return float(stats.norm.cdf(away / 2 - far) - math.exp(case.epsilon) * stats.norm.cdf(-away / 2 - far))


def _means(case: Batches, own: float) -> Float[np.ndarray, " batches"]:
    """Sums of every batch."""
    return np.array([sum(batch) for batch in itertools.combinations((*case.others, own), case.batch)])


def plain_ratio(case: Batches, *, tiny: float) -> float:
    """δ of the sum of a random batch over q δ(ε) of the sum of one, sensitivity 2C, by normal probabilities.

    The set where one law is above e^ε' times the other is found by bisection. 0 where q δ(ε) is at most ``tiny``.
    """
    share, sigma, times = case.batch / (len(case.others) + 1), case.noise_std, math.exp(case.epsilon)
    middle = case.epsilon * sigma / 2
    stated = share * (_above(middle - 1 / sigma) - times * _above(middle + 1 / sigma))
    if stated <= tiny:
        return 0.0
    sums = [Counter(map(sum, itertools.combinations((*case.others, own), case.batch))) for own in case.replaced]
    factor = 1 + share * (times - 1)
    return max(_excess(one, other, factor, sigma) for one, other in (sums, sums[::-1])) / stated


def _excess(one: Counter[float], other: Counter[float], factor: float, sigma: float) -> float:
    """∫ max(p − e^ε' q, 0) of two mixtures of normal laws."""

    def gap(x: float) -> float:
        p, q = (sum(n * math.exp(-(((x - m) / sigma) ** 2) / 2) for m, n in law.items()) for law in (one, other))
        return p - factor * q

    def beyond(x: float) -> float:
        p, q = (sum(n * _above((x - m) / sigma) for m, n in law.items()) for law in (one, other))
        return (p - factor * q) / one.total()

    low, high = min((*one, *other)) - 9 * sigma, max((*one, *other)) + 9 * sigma
    places = [low + (high - low) * place / PLACES for place in range(PLACES + 1)]
    gaps = [gap(x) for x in places]
    found = beyond(low) if gaps[0] > 0 else 0.0
    for (left, right), (before, after) in zip(itertools.pairwise(places), itertools.pairwise(gaps), strict=True):
        if (before > 0) != (after > 0):
            found += (1 if after > 0 else -1) * beyond(_crossing(gap, left, right))
    return found


def _crossing(gap: Callable[[float], float], left: float, right: float) -> float:
    rises = gap(right) > 0
    for _ in range(40):
        middle = (left + right) / 2
        left, right = (left, middle) if (gap(middle) > 0) == rises else (middle, right)
    return right


def _above(x: float) -> float:
    """Probability of the normal law beyond x."""
    return math.erfc(x / math.sqrt(2)) / 2
