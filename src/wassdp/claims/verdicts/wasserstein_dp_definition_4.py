"""WDP Definition 4: Kantorovich differential privacy. That it is "computed more efficiently" is not judged here."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, apart, distance, draw, simpler
from wassdp.distances import kantorovich


def _budget(found: Laws, loss: Callable[[int, int], float]) -> float:
    """The least budget of a mechanism all of whose data sets are neighbours."""
    return max(loss(*pair) for pair in itertools.combinations(range(len(found.points)), 2))


def _dual(found: Laws) -> float:
    return _budget(found, lambda one, two: kantorovich.potential(found.points[one], found.points[two]).value)


def _ratio(found: Laws) -> float:
    return apart(_dual(found), _budget(found, lambda one, two: distance(found.points[one], found.points[two], 1.0)))


def _verified(found: Laws) -> float:
    pairs = list(itertools.combinations(found.points.tolist(), 2))
    dual = max(plain.by_potential(*pair) for pair in pairs)
    return plain.unequal(dual, max(plain.best_assignment(*pair, 1.0) for pair in pairs))


def _any_order(found: Laws) -> float:
    return apart(_dual(found), _budget(found, found.distance))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Definition 4",
    place="Wasserstein Differential Privacy, equation 5",
    statement="Kantorovich differential privacy with ε is the same as (1, ε)-WDP",
    formula="max over neighbours of K(M(D), M(D')) = max over neighbours of W_1(M(D), M(D'))",
    draw=lambda generator: draw(generator, laws=3, points=4),
    ratio=_ratio,
    verified=_verified,
    corrupted=_any_order,
    simpler=simpler,
    compared="larger / smaller of both budgets",
    usual=300,
    few=12,
)
