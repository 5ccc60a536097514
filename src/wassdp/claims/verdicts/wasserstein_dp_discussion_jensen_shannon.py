"""WDP Discussion, other possibility: the square root of the Jensen-Shannon divergence obeys the triangle inequality.

And the divergence itself does not, which is what the check finds when it is asked.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr

from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import quotient
from wassdp.claims.masses import Masses, draw, simpler


def _divergence(found: Masses, one: int, other: int) -> float:
    p, q = found.weights[one], found.weights[other]
    return float(max(rel_entr(p, (p + q) / 2).sum() + rel_entr(q, (p + q) / 2).sum(), 0.0) / 2)


def _by_power(found: Masses, power: float) -> float:
    there, on, whole = (_divergence(found, *pair) ** power for pair in ((0, 1), (1, 2), (0, 2)))
    return quotient(whole, there + on)


def _ratio(found: Masses) -> float:
    return _by_power(found, 0.5)


def _verified(found: Masses) -> float:
    first, second, third = np.asarray(found.weights)
    sides = jensenshannon(first, second) + jensenshannon(second, third)
    return float(jensenshannon(first, third) / sides) if sides > 1e-7 else 0.0


def _without_root(found: Masses) -> float:
    return _by_power(found, 1.0)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Discussion, other possibility",
    place="Additional Specifications",
    statement="the square root of the Jensen-Shannon divergence satisfies the triangle inequality",
    formula="√JSD(P, R) ≤ √JSD(P, Q) + √JSD(Q, R)",
    draw=lambda generator: draw(generator, laws=3),
    ratio=_ratio,
    verified=_verified,
    corrupted=_without_root,
    simpler=simpler,
)
