"""TDP Theorem 3.2."""

from __future__ import annotations

import numpy as np

from wassdp.claims.tangent import case, quotient
from wassdp.claims.verdict import Claim
from wassdp.tangent import radii


def _ratio(generator: np.random.Generator) -> float:
    drawn = case(generator)
    return quotient(
        radii.norm_l1_to_log(drawn.posterior, drawn.risks),
        drawn.stated(radii.largest_risk(drawn.risks), data="total variation", output="log"),
    )


CLAIM = Claim(
    paper="tangent-dp",
    where="TDP Theorem 3.2",
    statement="the norm of D log A from L¹ to L^∞ is at most 2βR, R = max |r|",
    ratio=_ratio,
)
