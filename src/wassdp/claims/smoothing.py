r"""Distributions in the plane, smoothed and compared along directions: what SWD Properties 1 and 2 speak of.

Distributions are mixtures of Gaussians of one width s, hence continuous; along a direction, with the noise, they are
points smoothed with √(s² + σ²).

A few directions stand for all. Searches take equally spaced ones on the half circle, always more than there are centres
on any side: mixtures that differ then differ along one of them, since k points of the plane are determined by their
projections on any k + 1 lines (Heppes 1956, On the determination of probability distributions of more dimensions by
their projections). What confirms a search takes others, more of them and unequally spaced, and cuts the quantile
functions into thin slices (`plain_power`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking
from wassdp.distances.smoothed_line import smoothed_power

DIRECTIONS = 7
PLAIN_DIRECTIONS = 16
SLICES = 2000

Centres = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Mixtures:
    """Three mixtures' centres, each of equal weights; their width s, the noise σ and the order q."""

    first: Centres
    second: Centres
    third: Centres
    width: float
    noise: float
    order: float

    def __str__(self) -> str:
        parts = (" ".join(f"({a:.6g}, {b:.6g})" for a, b in part) for part in (self.first, self.second, self.third))
        return f"centres {' | '.join(parts)}, width {self.width:.6g}, σ = {self.noise:.6g}, q = {self.order:.6g}"

    @property
    def sigma(self) -> float:
        """What the points are smoothed with in all."""
        return math.hypot(self.width, self.noise)


def draw(generator: np.random.Generator) -> Mixtures:
    """One to three centres each; in a third of the cases the third mixture lies between the two others."""

    def centres() -> Centres:
        points = generator.normal(size=(int(generator.integers(1, 4)), 2))
        return tuple((float(a), float(b)) for a, b in np.round(points, 3))

    first, third = centres(), centres()
    if generator.random() < 0.3:
        first, third = first[:1], third[:1]
        second: Centres = (((first[0][0] + third[0][0]) / 2, (first[0][1] + third[0][1]) / 2),)
    else:
        second = centres()
    width, noise = 10 ** generator.uniform(-1, 0.3, size=2)
    return Mixtures(first, second, third, float(width), float(noise), float(generator.choice((1.0, 1.5, 2.0, 3.0))))


def simpler(case: Mixtures) -> Iterator[Mixtures]:
    """Fewer centres, rounder numbers."""
    yield from shrinking.fewer(case, "first", "second", "third")
    for name in ("width", "noise"):
        if getattr(case, name) != 1.0:
            yield replace(case, **{name: 1.0})  # type: ignore[arg-type]
    yield from shrinking.rounder(case, "first", "second", "third")


def turned(count: int = DIRECTIONS) -> Float[np.ndarray, "two directions"]:
    """Unit columns, equally spaced on the half circle."""
    angles = np.arange(count) * (math.pi / count)
    return np.stack([np.cos(angles), np.sin(angles)])


def directions(case: Mixtures) -> Float[np.ndarray, "two directions"]:
    """Of a search: as many as tell its mixtures apart, seven at least."""
    return turned(max(DIRECTIONS, 1 + max(len(case.first), len(case.second), len(case.third))))


def power(one: Centres, other: Centres, case: Mixtures, along: Float[np.ndarray, "two _"] | None = None) -> float:
    """The smoothed sliced distance to the power q."""
    columns = directions(case) if along is None else along
    pairs = zip((np.array(one) @ columns).T, (np.array(other) @ columns).T, strict=True)
    return float(np.mean([smoothed_power(x, y, sigma=case.sigma, p=case.order) for x, y in pairs]))


def root(value: float, order: float) -> float:
    """The distance from its power."""
    return math.pow(value, 1 / order)


def plain_power(one: Centres, other: Centres, case: Mixtures) -> float:
    """The same by definition: quantiles at the middle of thin slices of [0, 1], each found on a fine table.

    Directions follow the golden ratio around the half circle, so that they are the axes of no regular polygon.
    """
    total, golden = 0.0, (math.sqrt(5) - 1) / 2
    for step in range(PLAIN_DIRECTIONS):
        angle = math.pi * ((0.3 + step * golden) % 1)
        tables = []
        for side in (one, other):
            places = [a * math.cos(angle) + b * math.sin(angle) for a, b in side]
            sigma = math.sqrt(case.width**2 + case.noise**2)
            grid = np.linspace(min(places) - 6 * sigma, max(places) + 6 * sigma, 4000)
            bell = NormalDist()
            below = sum(np.array([bell.cdf((value - place) / sigma) for value in grid]) for place in places)
            tables.append(np.interp((np.arange(SLICES) + 0.5) / SLICES, below / len(places), grid))
        total += float((np.abs(tables[0] - tables[1]) ** case.order).mean())
    return total / PLAIN_DIRECTIONS
