r"""The norms of which TDP speaks, by derivatives of the posterior itself; nothing of `wassdp.tangent` is used.

log q is computed for records whose weights or places carry an infinitely small imaginary part, so that its imaginary
part over that is the derivative, exact to rounding (the complex step of Squire and Trapp 1998): no closed form of the
differential enters.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

STEP = 1e-30


def log_posterior(means: Complex[np.ndarray, " hypotheses"], beta: float) -> Complex[np.ndarray, " hypotheses"]:
    """Logarithms of q of mean risks."""
    logits = -beta * means
    shifted = logits - logits.real.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def posterior(found: Any) -> Float[np.ndarray, " hypotheses"]:
    """The posterior q of a case."""
    return np.asarray(np.exp(log_posterior(found.matrix.mean(axis=1) + 0j, found.beta).real))


def by_weights(found: Any) -> Float[np.ndarray, "hypotheses pairs"]:
    """Derivatives of log q along (δ_x - δ_x')/2, x and x' records of their own."""
    records = found.matrix.shape[1]
    columns = []
    for one, other in itertools.combinations(range(records), 2):
        weights = np.full(records, 1 / records, dtype=complex)
        weights[one] += 0.5j * STEP
        weights[other] -= 0.5j * STEP
        columns.append(log_posterior(found.matrix @ weights, found.beta).imag / STEP)
    return np.stack(columns, axis=1)


def by_moves(found: Any) -> Float[np.ndarray, "hypotheses coordinates"]:
    """Derivatives of log q as one coordinate of one record moves; times √N, so that the norm on moves is Euclidean."""
    _, records, dimension = found.slopes.shape
    columns = []
    for record, coordinate in itertools.product(range(records), range(dimension)):
        moved = found.matrix + 0j
        moved[:, record] += 1j * STEP * found.slopes[:, record, coordinate]
        columns.append(log_posterior(moved.mean(axis=1), found.beta).imag / STEP)
    return np.asarray(np.stack(columns, axis=1) * np.sqrt(records))


def largest_log(changes: Float[np.ndarray, "hypotheses directions"]) -> float:
    """Norm to L^∞ of log q where directions are extreme points."""
    return float(np.abs(changes).max())


def largest_sum(q: Float[np.ndarray, " hypotheses"], changes: Float[np.ndarray, "hypotheses directions"]) -> float:
    """Norm to L¹ where directions are extreme points."""
    return max(float(sum(abs(a * b) for a, b in zip(q, column, strict=True))) for column in changes.T)


def euclidean_log(changes: Float[np.ndarray, "hypotheses coordinates"]) -> float:
    """Norm to L^∞ of log q of directions of Euclidean norm 1."""
    return max(math.sqrt(sum(value**2 for value in row)) for row in changes)


def euclidean_sum(q: Float[np.ndarray, " hypotheses"], changes: Float[np.ndarray, "hypotheses coordinates"]) -> float:
    """Norm to L¹ of directions of Euclidean norm 1: the dual norm of the sum under the worst of all signs."""
    signs = itertools.product((-1.0, 1.0), repeat=len(q))
    return max(float(np.linalg.norm((np.array(pattern) * q) @ changes)) for pattern in signs)


def both(found: Any) -> tuple[list[float], list[float]]:
    """Logarithms of q of a case with weights that change, before and after."""
    problem = found.problem
    uniform = [1 / problem.records] * problem.records
    changed = [weight + value for weight, value in zip(uniform, found.change, strict=True)]
    before, after = (
        [math.fsum(a * b for a, b in zip(row, weights, strict=True)) for row in problem.matrix.tolist()]
        for weights in (uniform, changed)
    )
    return _logs(before, problem.beta), _logs(after, problem.beta)


def _logs(means: list[float], beta: float) -> list[float]:
    shifted = [-beta * (mean - min(means)) for mean in means]
    total = math.log(math.fsum(math.exp(value) for value in shifted))
    return [value - total for value in shifted]


def over(found: float, stated: float) -> float:
    """The quotient; a change of nothing contradicts nothing."""
    return 0.0 if found < 1e-12 else found / stated if stated > 0 else np.inf


def h1(slopes: Float[np.ndarray, "records dimension"]) -> float:
    """Norm in Ḣ¹(p) of a function with these gradients at the records."""
    return math.sqrt(sum(sum(value**2 for value in row) for row in slopes) / len(slopes))
