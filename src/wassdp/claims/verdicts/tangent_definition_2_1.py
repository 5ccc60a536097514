"""TDP Definition 2.1 and (2.4), 2.2 and (2.6): to first order, the constants bound what a change of the data does.

"o(1)" is put to the test as: at a change of relative size h, the excess over the constant is at most 2(1 + 4β)h.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, l1_norm, log_norm, quotient, simpler
from wassdp.claims.words import in_words
from wassdp.tangent import gibbs


@dataclass(frozen=True, eq=False)
class Moved:
    """A problem, and how the records' weights change: they sum to 0, and have L¹ norm ``size``."""

    problem: Case
    change: Float[np.ndarray, " records"]

    def __str__(self) -> str:
        return f"{self.problem}, change of the weights {in_words(self.change)}"

    @property
    def size(self) -> float:
        """Total variation of the change, in L¹."""
        return float(np.abs(self.change).sum())

    @property
    def slack(self) -> float:
        """1 + o(1)."""
        return 1 + 2 * (1 + 4 * self.problem.beta) * self.size


def _draw(generator: np.random.Generator) -> Moved:
    problem = case(generator)
    change = generator.normal(size=problem.records)
    change -= change.mean()
    size = 10 ** generator.uniform(-5, -3) / problem.records
    return Moved(problem, change / np.abs(change).sum() * size)


def _ratio(found: Moved) -> float:
    problem = found.problem
    before = problem.posterior
    after = gibbs.from_mean_risks(
        problem.matrix @ (1 / problem.records + found.change), problem.beta, records=problem.records
    )
    logs = np.abs(after.log_probabilities - before.log_probabilities).max()
    sums = np.abs(after.probabilities - before.probabilities).sum()
    return max(
        quotient(float(logs), found.slack * found.size * log_norm(problem.log_tangent) + 1e-12),
        quotient(float(sums), found.slack * found.size * l1_norm(problem.tangent) + 1e-12),
    )


def _verified(found: Moved) -> float:
    problem, changes = found.problem, plain.by_weights(found.problem)
    weights = [1 / problem.records + value for value in found.change]
    before = [math.fsum(row) / problem.records for row in problem.matrix.tolist()]
    after = [math.fsum(a * b for a, b in zip(row, weights, strict=True)) for row in problem.matrix.tolist()]
    own, other = _softmax(before, problem.beta), _softmax(after, problem.beta)
    sums = math.fsum(abs(a - b) for a, b in zip(own, other, strict=True))
    return sums / (found.slack * found.size * plain.largest_sum(plain.posterior(problem), changes) + 1e-12)


def _softmax(means: list[float], beta: float) -> list[float]:
    masses = [math.exp(-beta * (mean - min(means))) for mean in means]
    return [mass / math.fsum(masses) for mass in masses]


def _simpler(found: Moved) -> Iterator[Moved]:
    for other in simpler(found.problem):
        if other.records == found.problem.records:
            yield Moved(other, found.change)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Definition 2.1",
    place="Section 2, (2.4) and (2.6)",
    statement="for small changes of the data the constants bound the change of q, and of log q, up to second order",
    formula="‖Ap − Ap̃‖ in L¹, and ‖log Ap − log Ap̃‖ in L^∞, ≤ (C_p + o(1)) ‖p̃ − p‖",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 4 * _ratio(found),  # a quarter of C_p
    simpler=_simpler,
)
