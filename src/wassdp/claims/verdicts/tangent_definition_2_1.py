"""TDP Definition 2.1 and (2.4), 2.2 and (2.6): to first order, the constants bound what a change of the data does."""

from __future__ import annotations

import math

import numpy as np

from wassdp.claims import tangent_moves
from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import l1_norm, log_norm, quotient
from wassdp.claims.tangent_moves import Moved


def _ratio(found: Moved) -> float:
    problem = found.problem
    before, after = problem.posterior, tangent_moves.after(found)
    logs = np.abs(after.log_probabilities - before.log_probabilities).max()
    sums = np.abs(after.probabilities - before.probabilities).sum()
    return max(
        quotient(float(logs), found.slack * found.size * log_norm(problem.log_tangent) + 1e-12),
        quotient(float(sums), found.slack * found.size * l1_norm(problem.tangent) + 1e-12),
    )


def _verified(found: Moved) -> float:
    problem, changes = found.problem, plain.by_weights(found.problem)
    sums = math.fsum(abs(math.exp(a) - math.exp(b)) for a, b in zip(*plain.both(found), strict=True))
    return sums / (found.slack * found.size * plain.largest_sum(plain.posterior(problem), changes) + 1e-12)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Definition 2.1",
    place="Section 2, (2.4) and (2.6)",
    statement="for small changes of the data the constants bound the change of q, and of log q, up to second order",
    formula="‖Ap − Ap̃‖ in L¹, and ‖log Ap − log Ap̃‖ in L^∞, ≤ (C_p + o(1)) ‖p̃ − p‖",
    draw=tangent_moves.draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 4 * _ratio(found),  # a quarter of C_p
    simpler=tangent_moves.simpler,
)
