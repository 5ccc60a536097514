"""WDP Definition 3 and the reason given for it: the privacy loss is a metric on the laws of outputs."""

from __future__ import annotations

import math

import numpy as np

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, apart, draw, quotient, simpler


def _ratio(found: Laws) -> float:
    return max(_symmetry_and_triangle(found, 1.0), _identity(found))


def _symmetry_and_triangle(found: Laws, power: float) -> float:
    (there, back), (on, whole) = (
        [found.distance(*pair) ** power for pair in pairs] for pairs in (((0, 1), (1, 0)), ((1, 2), (0, 2)))
    )
    return max(apart(there, back), quotient(whole, there + on))


def _identity(found: Laws) -> float:
    """Infinite unless a distance is 0 for equal laws, and for no others."""
    equal = np.array_equal(_sorted(found.points[0]), _sorted(found.points[2]))
    return 0.0 if equal == (found.distance(0, 2) == 0) else math.inf


def _sorted(points: np.ndarray) -> np.ndarray:
    return points[np.lexsort(points.T)]


def _verified(found: Laws) -> float:
    first, second, third = found.points.tolist()
    there, back = plain.best_assignment(first, second, found.order), plain.best_assignment(second, first, found.order)
    on, whole = plain.best_assignment(second, third, found.order), plain.best_assignment(first, third, found.order)
    wrong = (sorted(first) == sorted(third)) != (whole == 0)
    return max(plain.unequal(there, back), plain.over(whole, there + on), math.inf if wrong else 0.0)


def _without_root(found: Laws) -> float:
    return _symmetry_and_triangle(found, found.order)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Definition 3",
    place="Definition 3 with Introduction, advantage (2)",
    statement="the privacy loss satisfies all the conditions of a metric on the laws of a mechanism's outputs",
    formula="W_μ(P, Q) = W_μ(Q, P) ≥ 0, = 0 only for P = Q, and W_μ(P, R) ≤ W_μ(P, Q) + W_μ(Q, R)",
    draw=lambda generator: draw(generator, laws=3),
    ratio=_ratio,
    verified=_verified,
    corrupted=_without_root,
    simpler=simpler,
)
