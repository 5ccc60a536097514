"""Noisy sums of clipped gradients, numbers of size at most 1, of a batch drawn without replacement."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

POINTS = 4001
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
