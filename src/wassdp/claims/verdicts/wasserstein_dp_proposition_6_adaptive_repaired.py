"""WDP Proposition 6 for adaptive algorithms that do not stretch what they read by more than L.

Couple the first outputs best. Then W(M_2(D, x), M_2(D', x')) ≤ ε_2 + L|x − x'|, and Minkowski's inequality gives
ε_1 + ε_2 + L ε_1 for both together.
"""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import quotient
from wassdp.claims.processed import Processed, draw_again, plainly, simpler


def _ratio(found: Processed) -> float:
    return quotient(found.together(), (1 + abs(found.slope)) * found.before() + abs(found.moved))


def _verified(found: Processed) -> float:
    together = plain.best_assignment(plainly(found, 0), plainly(found, 1), found.order)
    outputs = [[[float(x)] for x in law] for law in found.points]
    before = plain.best_assignment(outputs[0], outputs[1], found.order)
    return plain.over(together, before * (1 + abs(found.slope)) + abs(found.moved))


def _printed(found: Processed) -> float:
    return quotient(found.together(), found.before() + abs(found.moved))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 6",
    place="Proposition 6 read adaptively, as Theorem 1 uses it (appendix, equation 83)",
    statement="a second algorithm that changes by at most L per unit of what it reads adds L times the first budget",
    formula="W_μ(M_2(D, x), M_2(D, x')) ≤ L|x − x'| ⇒ (M_1, M_2) is (μ, (1 + L)ε_1 + ε_2)-WDP",
    repairs="wasserstein-dp-proposition-6-adaptive",
    draw=draw_again,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
)
