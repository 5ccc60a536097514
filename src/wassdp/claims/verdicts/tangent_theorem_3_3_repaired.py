"""TDP Theorem 3.3, as its proof bears it out."""

from __future__ import annotations

import numpy as np

from wassdp.claims.tangent import case, quotient
from wassdp.claims.verdict import Claim
from wassdp.tangent import radii


def _ratio(generator: np.random.Generator) -> float:
    drawn = case(generator)
    norms = radii.smooth(drawn.posterior, drawn.risks)
    radius = float(drawn.posterior.probabilities @ norms.risk_norms)
    norm = radii.norm_wasserstein_to_l1(drawn.posterior, drawn.risks).upper
    return quotient(norm, drawn.stated(radius, data="wasserstein", output="L1"))


CLAIM = Claim(
    paper="tangent-dp",
    where="TDP Theorem 3.3, repaired here",
    statement="the norm of DA from Ḣ⁻¹(p) to L¹ is at most 2βR, R = ∫ q ‖r(w, ·)‖ dw, norms in Ḣ¹(p)",
    ratio=_ratio,
)
