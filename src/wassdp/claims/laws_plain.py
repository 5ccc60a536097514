"""Distances of small laws by another way: every assignment is tried, in plain sums; nothing of `laws` is used.

No solver and no tolerance: powers as small as the 16th of a small distance count in full.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

Points = Sequence[Sequence[float]]


def best_assignment(x: Points, y: Points, order: float) -> float:
    """W_μ between uniform laws on as many points, at most a dozen: the best of all assignments, by dynamic programming.

    ``best[s]`` is the least cost of the first points of x when those of y in the set s (bits) are taken.
    """
    costs = [[math.dist(one, other) ** order for other in y] for one in x]
    best = [0.0] + [math.inf] * (2 ** len(y) - 1)
    for taken in range(2 ** len(y) - 1):
        row = costs[taken.bit_count()]
        for place, cost in enumerate(row):
            if not taken >> place & 1:
                best[taken | 1 << place] = min(best[taken | 1 << place], best[taken] + cost)
    return float((best[-1] / len(x)) ** (1 / order))


def pairs(first: Points, second: Points) -> list[list[float]]:
    """All points of one followed by all of the other."""
    return [[*one, *other] for one, other in itertools.product(first, second)]


def over(found: float, stated: float) -> float:
    """The quotient; a distance of nothing contradicts nothing."""
    return 0.0 if found < 1e-12 else found / stated if stated > 0 else math.inf


def unequal(one: float, other: float) -> float:
    """By how much two numbers that should be equal differ, as a quotient of at least 1."""
    return max(over(one, other), over(other, one), 1.0)


def by_potential(x: Points, y: Points) -> float:
    """E_P φ − E_Q φ for the best φ with Lipschitz constant 1: prices of the best assignment, extended to all space.

    Prices v_j of y_j obey v_π(i) + ρ(x_i, y_π(i)) ≤ v_j + ρ(x_i, y_j), which shortest paths give (Bellman and Ford).
    """
    best = min(itertools.permutations(y), key=lambda matched: sum(map(math.dist, x, matched)))
    prices = [0.0] * len(y)
    for _ in y:
        for i, j in itertools.product(range(len(x)), range(len(y))):
            prices[i] = min(prices[i], prices[j] + math.dist(x[i], best[j]) - math.dist(x[i], best[i]))

    def extended(z: Sequence[float]) -> float:
        return min(price + math.dist(z, place) for price, place in zip(prices, best, strict=True))

    return sum(map(extended, x)) / len(x) - sum(map(extended, y)) / len(y)
