"""WDP Proposition 12, post-processing by an arbitrary randomised mapping.

The proof replaces the distance of G(M(D)) and G(M(D')) by that of events' probabilities (equation 79), which do not
change; but places do, and the distance is between places.
"""

from __future__ import annotations

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import quotient
from wassdp.claims.processed import Processed, draw, plainly, simpler


def _ratio(found: Processed) -> float:
    return quotient(found.after(), found.before())


def _verified(found: Processed) -> float:
    first, second = ([[result] for _, result in plainly(found, which)] for which in (0, 1))
    outputs = [[[float(x)] for x in law] for law in found.points]
    after = plain.best_assignment(first, second, found.order)
    return plain.over(after, plain.best_assignment(outputs[0], outputs[1], found.order))


def _lipschitz(found: Processed) -> float:
    return quotient(found.after(), abs(found.slope) * found.before())


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 12",
    place="Properties of WDP, equation 8",
    statement="an arbitrary randomised mapping of the output does not raise the budget",
    formula="M is (μ, ε)-WDP ⇒ G ∘ M is (μ, ε)-WDP for every randomised G",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_lipschitz,
    simpler=simpler,
)
