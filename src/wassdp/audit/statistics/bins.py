r"""Scores of two worlds counted in bins, beside the trade-off curve of a family: how far they are from it, and why.

With cuts t_1 < t_2 < ... fixed on other trials, a_j = P(absent > t_j) and b_j = P(present ≤ t_j), a family says
b_j = f_t(a_j). The observed rates differ from that by

.. math:: r(t) = \hat b - f_t(\hat a), \qquad Σ(t) = \mathrm{Cov}\,\hat b + D \, \mathrm{Cov}\,\hat a \, D,

D the slopes of the curve and both covariances those of multinomial counts. Along the direction in which another t would
move the curve, the most that linear combinations can tell is (∂f/∂t)ᵀ Σ^{-1} r, generalised least squares. Ranks alone
enter: any score that grows with another one gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.audit.scores import Scores
from wassdp.audit.statistics.curve import Curve

_DRAWS = 3000
"""Repetitions by which the law of a combination is told, beyond its mean and variance."""

Vector = Float[np.ndarray, " _"]
Counts = Float[np.ndarray, "*rows _"]


@dataclass(frozen=True, eq=False)
class Binned:
    """Counts between cuts, shape (cuts + 1,) or several rows of that, ascending in the score."""

    present: Counts
    absent: Counts

    def __add__(self, other: Binned) -> Binned:
        """The counts of both, between the same cuts."""
        return Binned(self.present + other.present, self.absent + other.absent)

    @property
    def false_positives(self) -> Counts:
        """Rates of absent scores above each cut, with half a score in each bin more than was counted."""
        smoothed = self.absent + 0.5
        return np.asarray(np.cumsum(smoothed[..., ::-1], axis=-1)[..., -2::-1] / smoothed.sum(axis=-1, keepdims=True))

    @property
    def false_negatives(self) -> Counts:
        """Rates of present scores up to each cut."""
        return np.asarray(np.cumsum(self.present, axis=-1)[..., :-1] / self.present.sum(axis=-1, keepdims=True))


def cut_places(choose: Scores, *, counted: int, most: int, fewest: int) -> Vector:
    """Cuts between bins of about equal probability, averaged over both worlds, and finer ones in either tail.

    Args:
        choose: trials that are not counted.
        counted: how many are, of both worlds together.
        most: bins, those of the tails left out.
        fewest: scores of both worlds together that are expected in a bin.
    """
    least = fewest / counted
    middle = max(1 / most, least)
    tail = middle * 2.0 ** -np.arange(0.0, 60.0)
    tail = tail[tail >= least]
    levels = np.unique(np.concatenate((np.arange(middle, 1 - middle / 2, middle), tail, 1 - tail)))
    both = np.concatenate((choose.present, choose.absent))
    sizes = [choose.present.size, choose.absent.size]
    order = np.argsort(both)
    reached = np.cumsum(np.repeat([0.5 / size for size in sizes], sizes)[order])
    places = np.minimum(np.searchsorted(reached, levels), both.size - 1)
    found = np.unique(both[order][places])
    return np.asarray(found[found < both.max()])


def binned(scores: Scores, cuts: Vector) -> Binned:
    """Counts of ``scores`` between ``cuts``; a score at a cut is below it."""
    counts = [
        np.bincount(np.searchsorted(cuts, world, side="left"), minlength=cuts.size + 1).astype(float)
        for world in (scores.present, scores.absent)
    ]
    return Binned(*counts)


def _covariance(rates: Vector, trials: float) -> np.ndarray:
    """Of cumulative shares, ascending or descending."""
    return np.asarray(np.minimum.outer(rates, rates) * (1 - np.maximum.outer(rates, rates)) / trials)


def residual(curve: Curve, seen: Binned) -> tuple[Vector, np.ndarray]:
    """R and Σ."""
    a = seen.false_positives
    b = curve.false_negatives(a)
    slopes = curve.slopes(a)
    total = _covariance(np.clip(b, 1e-12, 1 - 1e-12), float(seen.present.sum()))
    total += slopes[:, None] * _covariance(a, float(seen.absent.sum())) * slopes
    total += 1e-9 * np.diag(np.diag(total))
    return seen.false_negatives - b, total


def misfit(curve: Curve, seen: Binned) -> float:
    """r^T Σ^{-1} r: about χ² with as many degrees of freedom as there are cuts, less one for a t that was fitted."""
    difference, covariance = residual(curve, seen)
    return float(difference @ np.linalg.solve(covariance, difference))


def _direction(curve: Curve, noisier: Curve, seen: Binned) -> tuple[Vector, float, float] | None:
    """The weights of the combination, its value and its standard deviation; None where the curve allows no errors."""
    difference, covariance = residual(curve, seen)
    a = seen.false_positives
    b = curve.false_negatives(a)
    weights = np.linalg.solve(covariance, noisier.false_negatives(a) - b)
    largest = float(np.abs(weights).max())
    if not (largest > 0 and b.max() > 1e-9):
        return None
    weights /= largest
    return weights, float(difference @ weights), float(np.sqrt(weights @ covariance @ weights))


def deviate(curve: Curve, noisier: Curve, seen: Binned) -> float:
    """How far the errors lie above ``curve``, along the direction in which ``noisier`` does, in standard deviations.

    Args:
        curve: that of t.
        noisier: that of a t a little larger.
        seen: counts.

    Returns:
        Falls as t grows; infinity where the curve allows no errors at all.
    """
    found = _direction(curve, noisier, seen)
    return np.inf if found is None else found[1] / found[2]


def quantile(curve: Curve, noisier: Curve, seen: Binned, z: float, generator: np.random.Generator) -> float:
    """What `deviate` is below as rarely as a standard normal variable is below ``z``, if the curve holds.

    From mean, variance and skewness of repetitions with the curve's own rates (parametric bootstrap), by Cornish and
    Fisher's (1938) expansion; ``z`` itself where there are very many trials.
    """
    found = _direction(curve, noisier, seen)
    if found is None:
        return z
    weights, _, deviation = found
    b = curve.false_negatives(seen.false_positives)
    rates = np.clip(np.diff(np.concatenate(([0.0], b, [1.0]))), 0.0, 1.0)
    absent = (seen.absent + 0.5) / (seen.absent + 0.5).sum()
    drawn = Binned(
        generator.multinomial(int(seen.present.sum()), rates / rates.sum(), size=_DRAWS).astype(float),
        generator.multinomial(int(seen.absent.sum()), absent, size=_DRAWS).astype(float),
    )
    values = (drawn.false_negatives - curve.false_negatives(drawn.false_positives)) @ weights / deviation
    spread = max(float(values.std()), 1e-12)
    skewness = float(np.clip(np.mean(((values - values.mean()) / spread) ** 3), -1.0, 1.0))
    return float(values.mean()) + spread * (z + skewness / 6 * (min(z * z, 16.0) - 1))
