"""The least errors of every attacker on an event, for either order of its two worlds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Float

from wassdp.accounting.event import Event
from wassdp.accounting.numerics import exact

_POINTS = 400
_SMALLEST = 1e-12
"""How many ε the curve is made of, and the δ at the largest of them."""
_LARGEST = 700.0

Rates = Float[np.ndarray, "*rates"]


@dataclass(frozen=True, eq=False)
class Curve:
    r"""A polygon below the trade-off curve of "present" against "absent".

    .. math:: f(α) = \max_{ε ≥ 0} \max\{0,\ 1 - δ_1(ε) - e^ε α,\ e^{-ε} (1 - δ_2(ε) - α)\}

    with δ_1 that of present against absent and δ_2 that of absent against present, both from above.

    Args:
        epsilons: ε, ascending from 0.
        first: δ_1.
        second: δ_2.

    Source: Dong, Roth and Su (2022), arXiv:1905.02383, Proposition 2.12, applied to either order of the worlds.
    """

    epsilons: Float[np.ndarray, " points"]
    first: Float[np.ndarray, " points"]
    second: Float[np.ndarray, " points"]

    def false_negatives(self, false_positives: Rates) -> Rates:
        """A lower bound on P(accused of absence | present), for each rate of false accusations."""
        return self._lines(false_positives)[0]

    def slopes(self, false_positives: Rates) -> Rates:
        """Slope of the polygon, at most 0."""
        return self._lines(false_positives)[1]

    def lines(self) -> tuple[Rates, Rates, Rates]:
        """The polygon's sides from left to right: height of each line at 0, its slope, and the rate where it begins."""
        return self._tangents

    @cached_property
    def _tangents(self) -> tuple[Rates, Rates, Rates]:
        """The polygon's lines from left to right: height at 0, slope, and the rate from which on each is highest."""
        growth = np.exp(self.epsilons)
        heights = np.concatenate((1 - self.first[::-1], (1 - self.second) / growth, np.zeros(1)))
        slopes = -np.concatenate((growth[::-1], 1 / growth, np.zeros(1)))
        kept: list[tuple[float, float]] = []
        starts: list[float] = []
        for height, slope in zip(heights.tolist(), slopes.tolist(), strict=True):
            start = 0.0
            while kept:
                start = _overtakes(kept[-1], (height, slope))
                if start > starts[-1]:
                    break
                kept.pop()
                start = starts.pop()
            if start < 1:
                kept.append((height, slope))
                starts.append(start)
        return np.array([height for height, _ in kept]), np.array([slope for _, slope in kept]), np.array(starts)

    def _lines(self, alpha: Rates) -> tuple[Rates, Rates]:
        heights, slopes, starts = self._tangents
        line = np.maximum(np.searchsorted(starts, alpha) - 1, 0)
        return np.maximum(heights[line] + slopes[line] * alpha, 0.0), slopes[line]


def _overtakes(last: tuple[float, float], new: tuple[float, float]) -> float:
    """The rate from which on ``new``, which falls no faster, lies above ``last``."""
    if new[1] > last[1]:
        return (last[0] - new[0]) / (new[1] - last[1])
    return -np.inf if new[0] > last[0] else np.inf


@lru_cache(maxsize=256)
def curve(event: Event) -> Curve:
    """The curve of ``event``; zero everywhere where its claim is unbounded.

    Raises:
        ValueError: no theorem gives the event a profile; the line says why.
    """
    if reason := event.refusal():
        raise ValueError(f"event: {reason}")
    top = exact.upper_epsilon(event, _SMALLEST, accuracy=1e-2)
    # Beyond, e^ε α is above 1 for every rate that a float can hold.
    epsilons = np.linspace(0.0, min(max(top, 1e-9), _LARGEST), _POINTS)
    first, second = exact.sided_upper_deltas(event, epsilons.tolist(), accuracy=1e-3)
    return Curve(epsilons, first, second)
