"""Small discrete laws of a mechanism's output, built to be hard for WDP's properties, and exact distances of them.

A law is uniform on as many points as the others, so that a distance of any order is an assignment of points to points
(the extreme points of couplings are permutations: Birkhoff's theorem), with no rounding but that of its sum. Points may
coincide, which gives unequal weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from wassdp.claims.words import in_words

Numbers = Float[np.ndarray, "..."]


@dataclass(frozen=True, eq=False)
class Laws:
    """Laws of one mechanism's output on several data sets.

    Args:
        points: shape (laws, points, dimension).
        order: μ.
    """

    points: Float[np.ndarray, "laws points dimension"]
    order: float

    def __str__(self) -> str:
        return f"μ = {self.order:.12g}, laws uniform on the points {in_words(self.points)}"

    def distance(self, one: int, other: int) -> float:
        """W_μ between two of the laws."""
        return distance(self.points[one], self.points[other], self.order)


def distance(x: Float[np.ndarray, "n dimension"], y: Float[np.ndarray, "n dimension"], order: float) -> float:
    """W_μ between uniform laws on as many points."""
    gaps = cdist(x, y)
    scale = float(gaps.max())
    if scale == 0:
        return 0.0
    powers = (gaps / scale) ** order
    return scale * float(powers[linear_sum_assignment(powers)].mean() ** (1 / order))


def joint(parts: Float[np.ndarray, "parts n dimension"]) -> Float[np.ndarray, "points joined"]:
    """Points of the joint law of independent outputs."""
    return np.array([np.concatenate(points) for points in itertools.product(*parts)])


def draw(generator: np.random.Generator, *, laws: int, points: int = 5, dimension: int = 2) -> Laws:
    """Random laws of at most so many points and coordinates, at all scales; some equal, moved, or on a grid."""
    shape = (laws, int(generator.integers(1, points + 1)), int(generator.integers(1, dimension + 1)))
    values = generator.normal(size=shape) * 10 ** generator.uniform(-2, 2)
    style = generator.integers(5)
    if style == 0:  # few places, many ties
        values = generator.integers(-2, 3, size=shape).astype(float)
    elif style == 1:  # moved by different amounts in one direction
        values = values[:1] + generator.normal(size=(laws, 1, 1)) * np.ones(shape[2])
    elif style == 2:  # two of the same law, its points in another order
        values[-1] = generator.permutation(values[0])
    elif style == 3:  # on a line, evenly spaced
        values = np.broadcast_to(np.arange(laws, dtype=float)[:, None, None], shape).copy()
    return Laws(values, float(generator.choice([1.0, 2.0, 1 + generator.exponential(), 1 + 10 * generator.random()])))


def quotient(actual: float, stated: float) -> float:
    """``actual`` / ``stated``; 0 where nothing is found, which contradicts nothing."""
    if actual <= 1e-12:
        return 0.0
    return actual / stated if stated > 0 else float("inf")


def apart(one: float, other: float) -> float:
    """The larger over the smaller: 1 for what is equal; two that vanish are equal."""
    larger, smaller = max(one, other), min(one, other)
    return 1.0 if larger <= 1e-12 else larger / smaller if smaller > 0 else float("inf")


def simpler(found: Laws) -> Iterator[Laws]:
    """With a point of each law or a coordinate less, or with rounder numbers."""
    _, points, dimension = found.points.shape
    for axis, size in ((1, points), (2, dimension)):
        for place in range(size if size > 1 else 0):
            yield replace(found, points=np.delete(found.points, place, axis=axis))
    for order in orders(found.order):
        yield replace(found, order=order)
    for values in rounder(found.points):
        yield replace(found, points=values)


def orders(order: float) -> Iterator[float]:
    """Orders that are simpler than this one."""
    yield from (plain for plain in (1.0, 2.0, float(round(order)), round(order, 1)) if plain < order)


def rounder(values: Numbers) -> Iterator[Numbers]:
    """The same in fewer digits, at the size of a few, and with single numbers set to 0."""
    largest = np.abs(values).max()
    if largest > 0 and not 0.5 <= largest <= 5:
        yield values / largest
    for digits in (0, 1, 2):
        plain = np.round(values, digits)
        if not np.array_equal(plain, values):
            yield plain
    for place in np.ndindex(values.shape):
        if values[place] != 0:
            less = values.copy()
            less[place] = 0.0
            yield less
