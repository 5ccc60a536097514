"""TDP Theorem 3.4."""

from __future__ import annotations

import numpy as np

from wassdp.claims.tangent import case, quotient
from wassdp.claims.verdict import Claim
from wassdp.tangent import radii


def _ratio(generator: np.random.Generator) -> float:
    drawn = case(generator)
    norms = radii.smooth(drawn.posterior, drawn.risks)
    norm = radii.norm_wasserstein_to_log(drawn.posterior, norms)
    return quotient(norm, drawn.stated(float(norms.risk_norms.max()), data="wasserstein", output="log"))


CLAIM = Claim(
    paper="tangent-dp",
    where="TDP Theorem 3.4",
    statement="the norm of D log A from Ḣ⁻¹(p) to L^∞ is at most 2βR, R = max_w ‖r(w, ·)‖ in Ḣ¹(p)",
    ratio=_ratio,
)
