"""WDP Proposition 5, parallel composition.

Read so that a record that changes lies in one part before and after, and parts are processed independently: then
only one of the outputs changes its law. A partition by the records' own values can move a record to another part; then
two outputs change, as for parallel composition in differential privacy. Laws 0 and 1 are the first part's, before and
after; 2 and 3 the second one's.
"""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, distance, draw, joint, quotient, simpler


def _ratio(found: Laws) -> float:
    return quotient(_joint(found), max(_single(found)))


def _joint(found: Laws) -> float:
    """Largest loss of both outputs together, as either part changes."""
    base = joint(found.points[[0, 2]])
    return max(distance(base, joint(found.points[pair]), found.order) for pair in ([1, 2], [0, 3]))


def _single(found: Laws) -> tuple[float, float]:
    return found.distance(0, 1), found.distance(2, 3)


def _verified(found: Laws) -> float:
    first, changed, second, other = found.points.tolist()
    base = plain.pairs(first, second)
    together = max(
        plain.best_assignment(base, plain.pairs(*pair), found.order) for pair in ((changed, second), (first, other))
    )
    each = plain.best_assignment(first, changed, found.order), plain.best_assignment(second, other, found.order)
    return plain.over(together, max(each))


def _smaller(found: Laws) -> float:
    return quotient(_joint(found), min(_single(found)))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 5",
    place="Properties of WDP",
    statement="algorithms on disjoint parts of the data satisfy WDP together with the largest of their budgets",
    formula="M_i on D_i is (μ, ε_i)-WDP ⇒ (M_1, ..., M_n) is (μ, max_i ε_i)-WDP",
    draw=lambda generator: draw(generator, laws=4, points=3),
    ratio=_ratio,
    verified=_verified,
    corrupted=_smaller,
    simpler=simpler,
)
