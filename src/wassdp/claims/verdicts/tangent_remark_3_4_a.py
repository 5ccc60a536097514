"""TDP Remark 3.4(a)."""

from __future__ import annotations

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    largest = float(radii.smooth(found.posterior, found.risks).risk_norms.max())
    return quotient(radii.radius_wasserstein_averaged(found.posterior, found.risks), largest)


def _verified(found: Case) -> float:
    averaged = sum(weight * slopes for weight, slopes in zip(plain.posterior(found), found.slopes, strict=True))
    return plain.over(plain.h1(averaged), max(plain.h1(slopes) for slopes in found.slopes))


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 3.4(a)",
    place="Section 3.2",
    statement="a bound on the norm of every hypothesis's risk bounds the norm of the averaged risk",
    formula="‖∫ q(w) r(w, ·) dw‖ ≤ max_w ‖r(w, ·)‖, norms in Ḣ¹(p)",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 2 * _ratio(found),  # half of the largest norm
    simpler=simpler,
)
