r"""The squared norm H = ‖Uᵀz‖² of a unit vector on k random directions, whose tail DP-SWD's Lemma 2 bounds.

For iid directions H = Σ_{j≤k} Y_j with Y_j ~ Beta(1/2, (d−1)/2) iid (SWD Lemma 1). Its law is computed, between two
laws that bound it: each Y is rounded down, or up, to a grid of step h, and the k-fold sum is one power of a Fourier
transform. The true H lies between the two sums, at most k·h apart.

Accounting does not use this: there H stays inside the expectation (`wassdp.accounting.profiles.squared_sensitivity`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy import fft, special

from wassdp import checks
from wassdp.accounting.formulas.sliced_tails import bernstein

POINTS = 1 << 20
COARSE = 1 << 17
# Below this a tail cannot be told from the rounding of the transform.
LEAST_TAIL = 1e-11


@dataclass(frozen=True)
class Law:
    """Probabilities of H rounded down and up, on the points 0, h, 2h, ...; the rest of either lies beyond them.

    Args:
        step: h.
        below: law of the sum of the Y rounded down, shape (points,).
        above: law of the sum of the Y rounded up, shape (points,).
    """

    step: float
    below: Float[np.ndarray, " points"]
    above: Float[np.ndarray, " points"]

    @cached_property
    def _survival(self) -> tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]:
        """P(H >= point) of both laws, each point of the grid."""
        return _beyond(self.below), _beyond(self.above)

    def quantile(self, tail: float) -> tuple[float, float]:
        """Least and largest value that the (1 − tail) quantile of H can have.

        Raises:
            ValueError: ``tail`` is too small for this computation, or not a probability.
        """
        checks.open_unit("tail", tail)
        if tail < 10 * LEAST_TAIL:
            least = f"{10 * LEAST_TAIL:g}, below which rounding would decide"
            raise ValueError(f"tail = {tail!r}: must be at least {least}")
        # The first point that is reached with at most this probability; the point before is passed so rarely.
        below, above = (
            int(np.searchsorted(-beyond, -(tail + rounding), side="left"))
            for beyond, rounding in zip(self._survival, (LEAST_TAIL, -LEAST_TAIL), strict=True)
        )
        return self.step * max(0, below - 1), self.step * max(0, above - 1)

    def exceeded(self, value: float) -> tuple[float, float]:
        """Least and largest value that P(H > value) can have."""
        index = math.floor(checks.non_negative("value", value) / self.step)
        # Beyond the grid: the law rounded down says nothing, the one rounded up has what its grid leaves out.
        below, above = self._survival
        least, most = 0.0, max(0.0, float(above[-1]))
        if index + 1 < len(below):
            least, most = float(below[index + 1]), float(above[index])
        return max(0.0, least - LEAST_TAIL), min(1.0, most + LEAST_TAIL)

    def density(self, values: Float[np.ndarray, " values"], width: float) -> Float[np.ndarray, " values"]:
        """Mean density of H on intervals of ``width`` around ``values``: the average of the two bounding laws'."""
        edges = np.stack([values - width / 2, values + width / 2])
        ends = np.clip(np.rint(edges / self.step).astype(int), 0, len(self.below) - 1)
        mean = 0.5 * (self._survival[0] + self._survival[1])
        return np.asarray((mean[ends[0]] - mean[ends[1]]) / width)


def law(projections: int, dimension: int, *, points: int = POINTS) -> Law:
    """The law of H for iid directions, between two bounds.

    Args:
        projections: k >= 1.
        dimension: d >= 2.
        points: of the grid, which reaches as far as all but a few `LEAST_TAIL` of the mass.

    Raises:
        ValueError: an argument is outside its range.

    Source: SWD Lemma 1.

    >>> low, high = law(1000, 784).quantile(1e-5)
    >>> low <= 1.533 <= high, high - low < 0.003
    (True, True)
    """
    checks.whole("projections", projections, least=1)
    checks.whole("dimension", dimension, least=2)
    checks.whole("points", points, least=2)
    # A bound reaches far enough; a coarse law on it then tells how far is enough.
    far = min(float(projections), bernstein(projections, dimension, LEAST_TAIL))
    near = _law(projections, dimension, far, COARSE).quantile(10 * LEAST_TAIL)[1]
    return _law(projections, dimension, min(far, near), points)


def _law(projections: int, dimension: int, reach: float, points: int) -> Law:
    step = reach / (points - 1)
    edges = np.minimum(step * np.arange(points + 1), 1.0)
    down = np.diff(special.betainc(0.5, (dimension - 1) / 2, edges))
    up = np.concatenate([[0.0], down[:-1]])
    return Law(step=step, below=_power(down, projections), above=_power(up, projections))


def _power(weights: Float[np.ndarray, " points"], count: int) -> Float[np.ndarray, " points"]:
    # Twice the grid: what the sum puts beyond one grid must not wrap around onto it; what lies beyond two is, by
    # the choice of the reach, far below the rounding.
    size = fft.next_fast_len(2 * len(weights), real=True)
    return np.maximum(fft.irfft(fft.rfft(weights, size) ** count, size)[: len(weights)], 0.0)


def _beyond(weights: Float[np.ndarray, " points"]) -> Float[np.ndarray, " points"]:
    """Probability of at least each point: summed from the far end, what lies beyond the grid included."""
    rest = max(0.0, 1.0 - float(weights.sum()))
    return np.asarray(np.minimum(np.cumsum(weights[::-1])[::-1] + rest, 1.0))
