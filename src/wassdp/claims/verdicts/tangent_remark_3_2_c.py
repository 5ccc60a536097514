"""TDP Remark 3.2(c): R of Theorem 3.1 from draws of q."""

from __future__ import annotations

import math

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case
from wassdp.claims.tangent_draws import DRAWS, LARGEST, Estimated, draw
from wassdp.tangent import radii


def _ratio(found: Estimated, draws: int = DRAWS) -> float:
    """The error of the estimate, as the remark has it, over six standard errors."""
    accumulated = found.counts @ found.problem.matrix
    exact = float(radii.averaged_risks(found.problem.posterior, found.problem.risks).max())
    return abs(float((accumulated / draws).max()) - exact) / (LARGEST * 0.5 / math.sqrt(DRAWS))


def _verified(found: Estimated) -> float:
    q, counts = np.exp(_logs(found.problem)), found.counts
    columns = found.problem.matrix.T.tolist()
    exact = max(math.fsum(a * b for a, b in zip(q, column, strict=True)) for column in columns)
    drawn = max(math.fsum(a * b for a, b in zip(counts, column, strict=True)) / DRAWS for column in columns)
    return abs(drawn - exact) * math.sqrt(DRAWS) / (LARGEST * 0.5)


def _logs(problem: Case) -> np.ndarray:
    means = problem.matrix.mean(axis=1)
    return np.asarray(-problem.beta * means - np.logaddexp.reduce(-problem.beta * means))


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 3.2(c)",
    place="Section 3.1",
    statement="R of Theorem 3.1 can be estimated from draws of q: accumulate risks by record, divide, take the largest",
    formula="max_x (1/n) Σ_i r(w_i, x) → max_x ∫ q(w) r(w, x) dw, w_i ~ q",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: _ratio(found, DRAWS // 2),  # divided by half the number
    compared="error / 6 standard errors",
    usual=300,
    few=50,
)
