"""WDP Proposition 1, symmetry; and its last sentence, that Kantorovich differential privacy has it too."""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, apart, distance, draw, simpler
from wassdp.distances import kantorovich


def _ratio(found: Laws) -> float:
    first, second = found.points
    dual = apart(kantorovich.potential(first, second).value, kantorovich.potential(second, first).value)
    return max(apart(found.distance(0, 1), found.distance(1, 0)), dual)


def _verified(found: Laws) -> float:
    first, second = found.points.tolist()
    there, back = (plain.best_assignment(*pair, found.order) for pair in ((first, second), (second, first)))
    return max(plain.unequal(there, back), plain.unequal(*map(plain.by_potential, (first, second), (second, first))))


def _other_order(found: Laws) -> float:
    return apart(found.distance(0, 1), distance(found.points[1], found.points[0], 1.0))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 1",
    place="Properties of WDP, equation 6",
    statement="the privacy loss is the same either way, in its primal and in its dual form",
    formula="W_μ(M(D), M(D')) = W_μ(M(D'), M(D)), K(M(D), M(D')) = K(M(D'), M(D))",
    draw=lambda generator: draw(generator, laws=2),
    ratio=_ratio,
    verified=_verified,
    corrupted=_other_order,
    simpler=simpler,
    compared="larger / smaller of both sides",
    usual=300,
    few=30,
)
