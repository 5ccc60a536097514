"""Powers of the Jensen-Shannon divergence of three discrete laws, beside the triangle inequality."""

from __future__ import annotations

from scipy.special import rel_entr

from wassdp.claims.laws import quotient
from wassdp.claims.masses import Masses


def ratio(found: Masses, *, power: float) -> float:
    r"""Of laws P, Q and R and the divergence J to a power, a quotient that is above 1 where the inequality is broken.

    .. math:: J(P, R)^{power} / (J(P, Q)^{power} + J(Q, R)^{power})
    """
    there, on, whole = (_divergence(found, *pair) ** power for pair in ((0, 1), (1, 2), (0, 2)))
    return quotient(whole, there + on)


def _divergence(found: Masses, one: int, other: int) -> float:
    p, q = found.weights[one], found.weights[other]
    return float(max(rel_entr(p, (p + q) / 2).sum() + rel_entr(q, (p + q) / 2).sum(), 0.0) / 2)
