"""WDP Proposition 4, monotonicity in the order."""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, distance, draw, quotient, simpler


def _lower(found: Laws) -> list[float]:
    """Distances of some lower orders."""
    orders = 1.0, (1 + found.order) / 2, found.order**0.5
    return [distance(found.points[0], found.points[1], order) for order in orders]


def _ratio(found: Laws) -> float:
    return quotient(max(_lower(found)), found.distance(0, 1))


def _verified(found: Laws) -> float:
    first, second = found.points.tolist()
    lower = max(plain.best_assignment(first, second, order) for order in (1.0, 0.5 + found.order / 2, found.order**0.5))
    return plain.over(lower, plain.best_assignment(first, second, found.order))


def _upside_down(found: Laws) -> float:
    return quotient(found.distance(0, 1), min(_lower(found)))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 4",
    place="Properties of WDP",
    statement="the privacy loss does not fall as the order grows, so (μ2, ε)-WDP implies (μ1, ε)-WDP for μ1 ≤ μ2",
    formula="W_μ1(M(D), M(D')) ≤ W_μ2(M(D), M(D')) for 1 ≤ μ1 ≤ μ2",
    draw=lambda generator: draw(generator, laws=2),
    ratio=_ratio,
    verified=_verified,
    corrupted=_upside_down,
    simpler=simpler,
)
