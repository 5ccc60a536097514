"""TDP Theorem 3.1."""

from __future__ import annotations

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    radius = float(radii.averaged_risks(found.posterior, found.risks).max())
    norm = radii.norm_l1_to_l1(found.posterior, found.risks)
    return quotient(norm, found.stated(radius, data="total variation", output="L1"))


def _verified(found: Case) -> float:
    q = plain.posterior(found)
    radius = max(sum(q * column) for column in found.matrix.T)
    return plain.over(plain.largest_sum(q, plain.by_weights(found)), 2 * found.beta * radius)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Theorem 3.1",
    place="Section 3.1",
    statement="a Gibbs posterior is Lipschitz in total variation of the data with bound 2βR, R the largest mean risk",
    formula="‖DA_p‖ from L¹ to L¹ ≤ 2βR, R = max_x ∫ q(w) r(w, x) dw",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 4 * _ratio(found),  # βR/2 in place of 2βR
    simpler=simpler,
)
