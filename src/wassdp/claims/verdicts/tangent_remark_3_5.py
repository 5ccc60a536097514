"""TDP Remark 3.5."""

from __future__ import annotations

import numpy as np

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, quotient, simpler
from wassdp.tangent import radii


def _ratio(found: Case) -> float:
    largest = float(radii.smooth(found.posterior, found.risks).risk_norms.max())
    return quotient(largest, float(np.linalg.norm(found.slopes, axis=2).max()))


def _verified(found: Case) -> float:
    steepest = max(sum(value**2 for value in slope) ** 0.5 for row in found.slopes.tolist() for slope in row)
    return plain.over(max(plain.h1(slopes) for slopes in found.slopes), steepest)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 3.5",
    place="Section 3.2",
    statement="the steepest slope of any risk at any record bounds the norm of every hypothesis's risk",
    formula="max_w ‖r(w, ·)‖ in Ḣ¹(p) ≤ max_{w,x} |∇_x r(w, x)|",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 2 * _ratio(found),  # half of the steepest slope
    simpler=simpler,
)
