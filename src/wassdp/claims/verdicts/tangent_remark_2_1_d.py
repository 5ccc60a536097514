"""TDP Remark 2.1(d), composition."""

from __future__ import annotations

import numpy as np

from wassdp.claims.tangent import case, l1_norm, log_norm, quotient
from wassdp.claims.verdict import Claim
from wassdp.tangent import bounds, gibbs
from wassdp.tangent.bounds import OutputNorm


def _ratio(generator: np.random.Generator) -> float:
    """The larger of both norms' ratios, of a pair of independent outputs to the sum of the two constants."""
    first = case(generator)
    second = case(generator, records=first.risks.records)
    p, q = first.posterior.probabilities, second.posterior.probabilities
    joint = np.einsum("wx,v->wvx", first.tangent, q) + np.einsum("w,vx->wvx", p, second.tangent)
    logs = [gibbs.log_differential(part.posterior, part.risks.matrix) for part in (first, second)]
    joint_log = logs[0][:, None, :] + logs[1][None, :, :]
    flat = (len(p) * len(q), first.risks.records)
    return max(
        quotient(l1_norm(joint.reshape(flat)), _sum("L1", l1_norm(first.tangent), l1_norm(second.tangent))),
        quotient(log_norm(joint_log.reshape(flat)), _sum("log", log_norm(logs[0]), log_norm(logs[1]))),
    )


def _sum(output: OutputNorm, one: float, other: float) -> float:
    """The constant that the library's own composition states."""
    first, second = (bounds.TangentBound(constant, "total variation", output) for constant in (one, other))
    return first.with_other(second).constant


CLAIM = Claim(
    paper="tangent-dp",
    where="TDP Remark 2.1(d)",
    statement="the constants of a pair of independent outputs are at most the sums, in both norms",
    ratio=_ratio,
)
