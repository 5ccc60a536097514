"""WDP Proposition 6 where a later algorithm reads an earlier output, as Theorem 1 uses it (equation 83).

Each algorithm keeps its budget for every fixed earlier output. But the outputs differ, and x ↦ 10x takes a difference
for ten times it: the map releases nothing of the data by itself, its own budget is 0.
"""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import quotient
from wassdp.claims.processed import Processed, draw_again, plainly, simpler


def _ratio(found: Processed) -> float:
    return quotient(found.together(), found.before() + abs(found.moved))


def _verified(found: Processed) -> float:
    together = plain.best_assignment(plainly(found, 0), plainly(found, 1), found.order)
    outputs = [[[float(x)] for x in law] for law in found.points]
    return plain.over(together, plain.best_assignment(outputs[0], outputs[1], found.order) + abs(found.moved))


def _lipschitz(found: Processed) -> float:
    return quotient(found.together(), (1 + abs(found.slope)) * found.before() + abs(found.moved))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 6",
    place="Proposition 6 read adaptively, as Theorem 1 uses it (appendix, equation 83)",
    statement="algorithms that may read earlier outputs satisfy WDP together with the sum of their budgets",
    formula="M_t(·, x) is (μ, ε_t)-WDP for every earlier output x ⇒ (M_1, ..., M_T) is (μ, Σ_t ε_t)-WDP",
    draw=draw_again,
    ratio=_ratio,
    verified=_verified,
    corrupted=_lipschitz,
    simpler=simpler,
)
