"""TDP Remark 3.2(b)."""

from __future__ import annotations

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    largest = float(radii.averaged_risks(found.posterior, found.risks).max())
    return quotient(largest, radii.largest_risk(found.risks))


def _verified(found: Case) -> float:
    q = plain.posterior(found)
    largest = max(max(row) for row in found.matrix.tolist())
    return plain.over(max(sum(q * column) for column in found.matrix.T), largest)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 3.2(b)",
    place="Section 3.1",
    statement="a bound on every risk bounds the mean risk of every record, so that R of Theorem 3.2 serves Theorem 3.1",
    formula="max_x ∫ q(w) r(w, x) dw ≤ max_{w,x} |r(w, x)|",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 2 * _ratio(found),  # half of the largest risk
    simpler=simpler,
)
