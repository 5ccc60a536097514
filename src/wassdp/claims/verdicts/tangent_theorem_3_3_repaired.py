"""TDP Theorem 3.3, as its proof bears it out."""

from __future__ import annotations

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    norms = radii.smooth(found.posterior, found.risks)
    radius = float(found.posterior.probabilities @ norms.risk_norms)
    norm = radii.norm_wasserstein_to_l1(found.posterior, found.risks).upper
    return quotient(norm, found.stated(radius, data="wasserstein", output="L1"))


def _printed(found: Case) -> float:
    radius = radii.radius_wasserstein_averaged(found.posterior, found.risks)
    norm = radii.norm_wasserstein_to_l1(found.posterior, found.risks).lower
    return quotient(norm, found.stated(radius, data="wasserstein", output="L1"))


def _verified(found: Case) -> float:
    q = plain.posterior(found)
    radius = sum(weight * plain.h1(slopes) for weight, slopes in zip(q, found.slopes, strict=True))
    return plain.over(plain.euclidean_sum(q, plain.by_moves(found)), 2 * found.beta * radius)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Theorem 3.3",
    place="Section 3.2",
    statement="a Gibbs posterior is Lipschitz in the Wasserstein distance with bound 2βR, R the mean norm of the risks",
    formula="‖DA_p‖ from Ḣ⁻¹(p) to L¹ ≤ 2βR, R = ∫ q(w) ‖r(w, ·)‖ dw, norms in Ḣ¹(p)",
    repairs="tangent-theorem-3-3",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
)
