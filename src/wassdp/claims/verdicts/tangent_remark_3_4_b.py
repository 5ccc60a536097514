"""TDP Remark 3.4(b): the norm of the averaged risk from draws of q."""

from __future__ import annotations

import math

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case
from wassdp.claims.tangent_draws import DRAWS, LARGEST, Estimated, draw
from wassdp.tangent import radii


def _permitted(problem: Case) -> float:
    """Six times a bound on the standard error of an average of vectors: their longest over √n, mean over records."""
    longest = np.linalg.norm(problem.slopes, axis=2).max(axis=0)
    return LARGEST * math.sqrt(float((longest**2).mean()) / DRAWS) + 1e-12


def _ratio(found: Estimated, draws: int = DRAWS) -> float:
    averaged = np.einsum("w,wxd->xd", found.counts, found.problem.slopes) / draws
    estimate = math.sqrt(float((averaged**2).sum(axis=1).mean()))
    exact = radii.radius_wasserstein_averaged(found.problem.posterior, found.problem.risks)
    return abs(estimate - exact) / _permitted(found.problem)


def _verified(found: Estimated) -> float:
    slopes = found.problem.slopes.tolist()
    means = found.problem.matrix.mean(axis=1)
    q = np.exp(-found.problem.beta * (means - means.min()))
    steepest = [max(math.hypot(*row[x]) for row in slopes) for x in range(len(slopes[0]))]
    permitted = LARGEST * math.sqrt(sum(value**2 for value in steepest) / len(steepest) / DRAWS) + 1e-12
    return abs(_norm(found.counts / DRAWS, slopes) - _norm(q / q.sum(), slopes)) / permitted


def _norm(weights: np.ndarray, slopes: list[list[list[float]]]) -> float:
    """‖Σ_w weight · gradient‖ in Ḣ¹(p), in plain sums."""
    records, total = range(len(slopes[0])), 0.0
    for x in records:
        for d in range(len(slopes[0][x])):
            total += math.fsum(weight * row[x][d] for weight, row in zip(weights, slopes, strict=True)) ** 2
    return math.sqrt(total / len(slopes[0]))


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 3.4(b)",
    place="Section 3.2",
    statement="the norm of the averaged risk can be estimated from draws of q: accumulate gradients, divide, average",
    formula="(mean_x |(1/n) Σ_i ∇_x r(w_i, x)|²)^{1/2} → ‖∫ q(w) r(w, ·) dw‖ in Ḣ¹(p), w_i ~ q",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: _ratio(found, DRAWS // 2),  # divided by half the number
    compared="error / 6 standard errors",
    usual=300,
    few=50,
)
