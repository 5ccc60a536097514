"""TDP Theorem 3.2."""

from __future__ import annotations

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    stated = found.stated(radii.largest_risk(found.risks), data="total variation", output="log")
    return quotient(radii.norm_l1_to_log(found.posterior, found.risks), stated)


def _verified(found: Case) -> float:
    largest = max(max(row) for row in found.matrix.tolist())
    return plain.over(plain.largest_log(plain.by_weights(found)), 2 * found.beta * largest)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Theorem 3.2",
    place="Section 3.1",
    statement="a Gibbs posterior of bounded risk is tangent private in total variation with bound 2βR",
    formula="‖D(log A)_p‖ from L¹ to L^∞ ≤ 2βR, R = max |r(w, x)|",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 4 * _ratio(found),  # βR/2 in place of 2βR
    simpler=simpler,
)
