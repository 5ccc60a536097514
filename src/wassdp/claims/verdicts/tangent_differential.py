"""TDP, section 3: the differentials of the Gibbs posterior in matrix form."""

from __future__ import annotations

import numpy as np

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, simpler
from wassdp.tangent import gibbs

STEP = 1e-4
PERMITTED = 1e-4


def _ratio(found: Case, factor: float = 1.0) -> float:
    """Largest difference from a central difference of log q, over what its step permits."""
    first = found.matrix[:, 0] - found.matrix[:, -1]
    step = STEP / found.beta
    ends = [
        gibbs.from_mean_risks(found.matrix.mean(axis=1) + sign * step * first, found.beta, records=found.records)
        for sign in (1, -1)
    ]
    numeric = (ends[0].log_probabilities - ends[1].log_probabilities) / (2 * step)
    closed = factor * (found.log_tangent[:, 0] - found.log_tangent[:, -1])
    return float(np.abs(numeric - closed).max() / (PERMITTED * max(1e-6, float(np.abs(closed).max()), found.beta)))


def _verified(found: Case) -> float:
    """Against derivatives by complex steps; pairs are in order, the last of the first record is with the last one."""
    q = plain.posterior(found)
    centred = found.matrix - q @ found.matrix
    closed = -found.beta * (centred[:, 0] - centred[:, -1]) / 2
    exact = plain.by_weights(found)[:, found.matrix.shape[1] - 2]
    return float(np.abs(closed - exact).max() / (PERMITTED * max(1e-6, float(np.abs(closed).max()), found.beta)))


CLAIM = Inequality(
    paper="tangent-dp",
    item="Section 3, differentials",
    place="Section 3, before 3.1",
    statement="the differential of log q has the matrix form that is printed, and that of q the same times q",
    formula="DA_p = -β (diag(q) − q qᵀ) r, D(log A)_p = -β (I − 1 qᵀ) r",
    draw=case,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: _ratio(found, 1.1),  # a tenth more
    simpler=simpler,
    compared="difference / permitted",
)
