"""TDP Definition 2.1 and (2.4), 2.2 and (2.6), for the pair of the Wasserstein distance: records move a little."""

from __future__ import annotations

import math

import numpy as np

from wassdp.claims import tangent_moved_points as moved_points
from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import quotient
from wassdp.claims.tangent_moved_points import MovedPoints
from wassdp.tangent import radii


def _ratio(found: MovedPoints) -> float:
    problem = found.problem
    before, after = problem.posterior, moved_points.after(found)
    logs = np.abs(after.log_probabilities - before.log_probabilities).max()
    sums = np.abs(after.probabilities - before.probabilities).sum()
    to_log = radii.norm_wasserstein_to_log(before, radii.smooth(before, problem.risks))
    to_l1 = radii.norm_wasserstein_to_l1(before, problem.risks).upper
    return max(
        quotient(float(logs), found.slack * found.size * to_log + 1e-12),
        quotient(float(sums), found.slack * found.size * to_l1 + 1e-12),
    )


def _verified(found: MovedPoints) -> float:
    q, changes = plain.posterior(found.problem), plain.by_moves(found.problem)
    before, after = moved_points.plain_logs(found)
    stated = moved_points.plain_slack(found) * moved_points.plain_size(found)
    logs = max(abs(a - b) for a, b in zip(before, after, strict=True))
    sums = math.fsum(abs(math.exp(a) - math.exp(b)) for a, b in zip(before, after, strict=True))
    return max(
        logs / (stated * plain.euclidean_log(changes) + 1e-12),
        sums / (stated * plain.euclidean_sum(q, changes) + 1e-12),
    )


CLAIM = Inequality(
    paper="tangent-dp",
    item="Definition 2.1, Wasserstein distance",
    place="Section 2, (2.4) and (2.6), with Example 2.2",
    statement="where records move a little the constants bound the change of q, and of log q, up to second order",
    formula="‖Ap − Ap̃‖ in L¹, and ‖log Ap − log Ap̃‖ in L^∞, ≤ (C_p + o(1)) W₂(p, p̃)",
    draw=moved_points.draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 4 * _ratio(found),  # a quarter of C_p
    simpler=moved_points.simpler,
)
