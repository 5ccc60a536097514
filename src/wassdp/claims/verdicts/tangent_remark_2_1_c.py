"""TDP Remark 2.1(c), post-processing."""

from __future__ import annotations

import numpy as np

from wassdp.claims.tangent import case, l1_norm, log_norm, quotient
from wassdp.claims.verdict import Claim
from wassdp.tangent import bounds, gibbs


def _ratio(generator: np.random.Generator) -> float:
    """The larger of both norms' ratios after and before a random map of the output."""
    drawn = case(generator)
    q = drawn.posterior.probabilities
    kernel = generator.dirichlet(np.full(int(generator.integers(2, 7)), 0.3), size=len(q)).T
    after, mass = bounds.processed(kernel, drawn.tangent), kernel @ q
    kept = mass > 1e-200  # outputs that cannot occur have no log-ratio
    log_before = gibbs.log_differential(drawn.posterior, drawn.risks.matrix)
    return max(
        quotient(l1_norm(after), l1_norm(drawn.tangent)),
        quotient(log_norm(after[kept] / mass[kept, None]), log_norm(log_before)),
    )


CLAIM = Claim(
    paper="tangent-dp",
    where="TDP Remark 2.1(c)",
    statement="after a map of the output, neither norm (L¹ to L¹, L¹ to L^∞ of log) is larger",
    ratio=_ratio,
)
