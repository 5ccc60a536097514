r"""TDP Theorem 3.3.

The proof bounds ∫ q |∫ r ε dx| dw by the Ḣ¹ norm of ∫ q r dw "by non-negativity of q r"; but that norm sees gradients,
which have signs and may cancel: entirely, and then R is 0 while q moves. What the step proves has ∫ q(w) ‖r(w, ·)‖ dw
in place of R: the repaired statement beside it.
"""

from __future__ import annotations

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    radius = radii.radius_wasserstein_averaged(found.posterior, found.risks)
    norm = radii.norm_wasserstein_to_l1(found.posterior, found.risks).lower
    return quotient(norm, found.stated(radius, data="wasserstein", output="L1"))


def _repaired(found: Case) -> float:
    norms = radii.smooth(found.posterior, found.risks)
    radius = float(found.posterior.probabilities @ norms.risk_norms)
    norm = radii.norm_wasserstein_to_l1(found.posterior, found.risks).upper
    return quotient(norm, found.stated(radius, data="wasserstein", output="L1"))


def _verified(found: Case) -> float:
    q = plain.posterior(found)
    averaged = sum(weight * slopes for weight, slopes in zip(q, found.slopes, strict=True))
    return plain.over(plain.euclidean_sum(q, plain.by_moves(found)), 2 * found.beta * plain.h1(averaged))


CLAIM = Inequality(
    paper="tangent-dp",
    item="Theorem 3.3",
    place="Section 3.2",
    statement="a Gibbs posterior is Lipschitz in the Wasserstein distance with bound 2βR, R of the averaged risk",
    formula="‖DA_p‖ from Ḣ⁻¹(p) to L¹ ≤ 2βR, R = ‖∫ q(w) r(w, ·) dw‖ in Ḣ¹(p)",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=_repaired,
    simpler=simpler,
)
