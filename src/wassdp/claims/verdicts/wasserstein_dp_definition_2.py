"""WDP Definition 2: Kantorovich and Rubinstein's duality."""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, apart, distance, draw, simpler
from wassdp.distances import kantorovich


def _ratio(found: Laws) -> float:
    dual = kantorovich.potential(found.points[0], found.points[1]).value
    return apart(dual, distance(found.points[0], found.points[1], 1.0))


def _verified(found: Laws) -> float:
    first, second = found.points[0].tolist(), found.points[1].tolist()
    return plain.unequal(plain.by_potential(first, second), plain.best_assignment(first, second, 1.0))


def _second_order(found: Laws) -> float:
    dual = kantorovich.potential(found.points[0], found.points[1]).value
    return apart(dual, distance(found.points[0], found.points[1], 2.0))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Definition 2",
    place="Wasserstein Differential Privacy, equation 2",
    statement="the 1-Wasserstein distance is the largest difference of means of a function with Lipschitz constant 1",
    formula="W_1(P, Q) = sup over ‖φ‖_L ≤ 1 of E_P φ − E_Q φ",
    draw=lambda generator: draw(generator, laws=2),
    ratio=_ratio,
    verified=_verified,
    corrupted=_second_order,
    simpler=simpler,
    compared="larger / smaller of both sides",
    usual=500,
    few=30,
)
