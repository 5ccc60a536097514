"""WDP Proposition 6, sequential composition, as printed: M_i maps data alone to an output, independently of the others.

The proof's "triangle inequality" compares laws on different spaces; what bears it out is Minkowski's inequality for the
product of the best couplings.
"""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, distance, draw, joint, quotient, simpler


def _joint(found: Laws) -> float:
    return distance(joint(found.points[[0, 2]]), joint(found.points[[1, 3]]), found.order)


def _ratio(found: Laws) -> float:
    return quotient(_joint(found), found.distance(0, 1) + found.distance(2, 3))


def _verified(found: Laws) -> float:
    first, changed, second, other = found.points.tolist()
    together = plain.best_assignment(plain.pairs(first, second), plain.pairs(changed, other), found.order)
    each = plain.best_assignment(first, changed, found.order), plain.best_assignment(second, other, found.order)
    return plain.over(together, sum(each))


def _largest(found: Laws) -> float:
    return quotient(_joint(found), max(found.distance(0, 1), found.distance(2, 3)))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 6",
    place="Properties of WDP",
    statement="independent algorithms on the same data satisfy WDP together with the sum of their budgets",
    formula="M_i: D → R_i is (μ, ε_i)-WDP ⇒ (M_1, ..., M_n) is (μ, Σ_i ε_i)-WDP",
    draw=lambda generator: draw(generator, laws=4, points=3),
    ratio=_ratio,
    verified=_verified,
    corrupted=_largest,
    simpler=simpler,
)
