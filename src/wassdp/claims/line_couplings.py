r"""Samples on the line of any sizes, with ties: the squared Wasserstein distance as WG writes it, and by definition.

Found values come from an assignment problem on copies of the points, so many that both sides have equally many
(`assigned`). What confirms a statement computes with fractions, without rounding (`exact`, `exact_weights`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from scipy.optimize import linear_sum_assignment

from wassdp.claims import shrinking
from wassdp.claims.moved_gradients import shares
from wassdp.claims.words import in_words

Values = Float[np.ndarray, " n"]
Others = Float[np.ndarray, " m"]


@dataclass(frozen=True)
class Samples:
    """U and V."""

    u: tuple[float, ...]
    v: tuple[float, ...]

    def __str__(self) -> str:
        return f"U = {in_words(np.array(self.u))}, V = {in_words(np.array(self.v))}"


def draw(generator: np.random.Generator, *, distinct: bool = False) -> Samples:
    """Up to five points a side, at multiples of 1/8: often equal ones, but not in U if it has to be ``distinct``."""
    n, m = (int(size) for size in generator.integers(1, 6, size=2))
    u = generator.choice(33, size=n, replace=not distinct) / 8 - 2
    v = generator.choice(33, size=m) / 8 - 2 + generator.choice((0.0, 1 / 16))
    return Samples(tuple(u.tolist()), tuple(v.tolist()))


def simpler(case: Samples) -> Iterator[Samples]:
    """Fewer points, rounder numbers."""
    yield from shrinking.fewer(case, "u", "v")
    yield from shrinking.rounder(case, "u", "v")


def assigned(u: Values, v: Others) -> float:
    """W₂² by the best assignment of copies of the points."""
    count = math.lcm(u.size, v.size)
    costs = (np.repeat(u, count // u.size)[:, None] - np.repeat(v, count // v.size)) ** 2
    return float(costs[linear_sum_assignment(costs)].mean())


def weights(u: Values, v: Others) -> Float[np.ndarray, "n m"]:
    """R at the ranks of the points."""
    ranks = [np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (u, v)]
    return np.asarray(shares(u.size, v.size)[np.ix_(*ranks)])


def exact(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """W₂² by the quantile functions, slice by slice."""
    slices, total = math.lcm(len(u), len(v)), Fraction(0)
    one, other = sorted(u), sorted(v)
    for index in range(slices):
        total += (one[index * len(u) // slices] - other[index * len(v) // slices]) ** 2
    return total / slices


def exact_weights(u: Sequence[Fraction], v: Sequence[Fraction]) -> list[list[Fraction]]:
    """R at the ranks of the points; of equal points the first has the lower rank."""
    ranks = []
    for side in (u, v):
        order = sorted(range(len(side)), key=side.__getitem__)
        ranks.append([order.index(place) for place in range(len(side))])
    n, m = len(u), len(v)

    def overlap(i: int, j: int) -> Fraction:
        low, high = max(Fraction(i, n), Fraction(j, m)), min(Fraction(i + 1, n), Fraction(j + 1, m))
        return max(Fraction(0), high - low)

    return [[overlap(i, j) for j in ranks[1]] for i in ranks[0]]
