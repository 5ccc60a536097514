"""SWD Figure 2: DP-SWD follows the trend of SWD as the means of two normal distributions move apart.

Of the distributions themselves: two normal ones of unit variance at a distance c in each of five coordinates, seen
along a direction, are normal with the variance 1 + σ²; the smoothed distance is the distance, whatever σ is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality
from wassdp.distances.smoothed_line import smoothed_power

DIMENSION = 5


@dataclass(frozen=True)
class Means:
    """Two values of c, the first the smaller one, σ, and a direction."""

    values: tuple[float, float]
    noise: float
    direction: tuple[float, ...]

    def __str__(self) -> str:
        direction = ", ".join(f"{value:.6g}" for value in self.direction)
        return f"c = {self.values[0]:.6g} and {self.values[1]:.6g}, σ = {self.noise:g}, direction ({direction})"


def _draw(generator: np.random.Generator) -> Means:
    values, direction = np.sort(generator.random(2)), generator.normal(size=DIMENSION)
    direction /= np.linalg.norm(direction)
    return Means((float(values[0]), float(values[1])), float(generator.choice((1.0, 3.0))), tuple(direction.tolist()))


def _distances(case: Means, second: float) -> list[float]:
    """D² at both values of c, the second distribution's deviation widened by ``second``."""
    shift = sum(case.direction)
    still = np.zeros(1)
    sigma = float(np.hypot(1.0, case.noise))
    if second == 0:
        return [smoothed_power(still, still + c * shift, sigma=sigma) for c in case.values]
    return [
        smoothed_power(still, c * shift + second * (c - 1) * np.array([-1.0, 1.0]), sigma=sigma) for c in case.values
    ]


def _ratio(case: Means, second: float) -> float:
    less, more = _distances(case, second)
    return less / max(more, 1e-300)


def _plain(case: Means) -> float:
    """W_2² of two normal laws of one variance is the squared distance of their means."""
    shift = sum(case.direction)
    return (case.values[0] * shift) ** 2 / max((case.values[1] * shift) ** 2, 1e-300)


def _simpler(case: Means) -> Iterator[Means]:
    yield from (other for other in shrinking.rounder(case, "values") if other.values[0] < other.values[1])


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Figure 2",
    place="Section 6.1",
    statement="DP-SWD grows with the distance of the means of two normal distributions, as SWD does",
    formula="c < c' ⇒ D_σ(N(0, I), N(c1, I)) ≤ D_σ(N(0, I), N(c'1, I)), c, c' ∈ [0, 1], σ = 1 or 3",
    compared="D² at the smaller c / at the larger one",
    draw=_draw,
    ratio=lambda case: _ratio(case, 0.0),
    verified=_plain,
    corrupted=lambda case: _ratio(case, 5.0),
    simpler=_simpler,
    usual=2000,
    few=100,
)
