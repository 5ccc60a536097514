"""WDP Proposition 12 for mappings that do not stretch: apply one draw of the map to the best coupling.

A budget in the unit of the output has to be restated in the unit of the result, which the constant L does.
"""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import quotient
from wassdp.claims.processed import Processed, draw, plainly, simpler


def _ratio(found: Processed) -> float:
    return quotient(found.after(), abs(found.slope) * found.before())


def _verified(found: Processed) -> float:
    first, second = ([[result] for _, result in plainly(found, which)] for which in (0, 1))
    outputs = [[[float(found.slope) * float(x)] for x in law] for law in found.points]
    after = plain.best_assignment(first, second, found.order)
    return plain.over(after, plain.best_assignment(outputs[0], outputs[1], found.order))


def _printed(found: Processed) -> float:
    return quotient(found.after(), found.before())


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 12",
    place="Properties of WDP, equation 8",
    statement="a randomised mapping of Lipschitz constant L multiplies the budget by at most L",
    formula="M is (μ, ε)-WDP, |G(x, u) − G(x', u)| ≤ L|x − x'| for every draw u ⇒ G ∘ M is (μ, Lε)-WDP",
    repairs="wasserstein-dp-proposition-12",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
)
