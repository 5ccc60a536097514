"""TDP Theorem 3.1."""

from __future__ import annotations

import numpy as np

from wassdp.claims.tangent import case, quotient
from wassdp.claims.verdict import Claim
from wassdp.tangent import radii


def _ratio(generator: np.random.Generator) -> float:
    drawn = case(generator)
    radius = float(radii.averaged_risks(drawn.posterior, drawn.risks).max())
    return quotient(
        radii.norm_l1_to_l1(drawn.posterior, drawn.risks), drawn.stated(radius, data="total variation", output="L1")
    )


CLAIM = Claim(
    paper="tangent-dp",
    where="TDP Theorem 3.1",
    statement="the norm of DA from L¹ to L¹ is at most 2βR, R = max_x ∫ q r dw",
    ratio=_ratio,
)
