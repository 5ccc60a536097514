"""TDP Theorem 3.4."""

from __future__ import annotations

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    norms = radii.smooth(found.posterior, found.risks)
    norm = radii.norm_wasserstein_to_log(found.posterior, norms)
    return quotient(norm, found.stated(float(norms.risk_norms.max()), data="wasserstein", output="log"))


def _verified(found: Case) -> float:
    radius = max(plain.h1(slopes) for slopes in found.slopes)
    return plain.over(plain.euclidean_log(plain.by_moves(found)), 2 * found.beta * radius)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Theorem 3.4",
    place="Section 3.2",
    statement="a Gibbs posterior of smooth risk is tangent private in the Wasserstein distance with bound 2βR",
    formula="‖D(log A)_p‖ from Ḣ⁻¹(p) to L^∞ ≤ 2βR, R = max_w ‖r(w, ·)‖ in Ḣ¹(p)",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 2 * _ratio(found),  # βR in place of 2βR
    simpler=simpler,
)
