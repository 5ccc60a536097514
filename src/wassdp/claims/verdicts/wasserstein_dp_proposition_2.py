"""WDP Proposition 2, the triangle inequality; for any three laws, so what data sets differ in does not enter."""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, draw, quotient, simpler


def _ratio(found: Laws) -> float:
    return quotient(found.distance(0, 2), found.distance(0, 1) + found.distance(1, 2))


def _verified(found: Laws) -> float:
    first, second, third = found.points.tolist()
    sides = plain.best_assignment(first, second, found.order) + plain.best_assignment(second, third, found.order)
    return plain.over(plain.best_assignment(first, third, found.order), sides)


def _larger_side(found: Laws) -> float:
    return quotient(found.distance(0, 2), max(found.distance(0, 1), found.distance(1, 2)))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 2",
    place="Properties of WDP, equation 7",
    statement="the loss between two data sets is at most the sum of the losses by way of a third",
    formula="W_μ(M(D1), M(D3)) ≤ W_μ(M(D1), M(D2)) + W_μ(M(D2), M(D3))",
    draw=lambda generator: draw(generator, laws=3),
    ratio=_ratio,
    verified=_verified,
    corrupted=_larger_side,
    simpler=simpler,
)
