"""TDP (3.1): the minimiser of the regularised risk is the Gibbs distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, simpler
from wassdp.claims.words import in_words


@dataclass(frozen=True, eq=False)
class Rival:
    """A problem, and a distribution that is not its posterior."""

    problem: Case
    rival: Float[np.ndarray, " hypotheses"]

    def __str__(self) -> str:
        return f"{self.problem}, other distribution {in_words(self.rival)}"


def _draw(generator: np.random.Generator) -> Rival:
    problem = case(generator)
    if generator.random() < 0.5:
        return Rival(problem, generator.dirichlet(np.full(len(problem.matrix), 0.5)))
    near = problem.posterior.probabilities * np.exp(0.1 * generator.normal(size=len(problem.matrix)))
    return Rival(problem, near / near.sum())


def _objective(q: Float[np.ndarray, " hypotheses"], problem: Case, weight: float = 1.0) -> float:
    """∫ q r p + β⁻¹ ∫ q ln q, β⁻¹ times ``weight``."""
    entropy = np.where(q > 0, q * np.log(np.where(q > 0, q, 1.0)), 0.0).sum()
    return float(q @ problem.matrix.mean(axis=1) + weight * entropy / problem.beta)


def _ratio(found: Rival, weight: float = 1.0) -> float:
    """1 plus by how much the posterior's objective is above the rival's, beyond rounding."""
    own = _objective(found.problem.posterior.probabilities, found.problem, weight)
    return 1 + own - _objective(found.rival, found.problem, weight) - 1e-12 / found.problem.beta


def _verified(found: Rival) -> float:
    means = [sum(row) / len(row) for row in found.problem.matrix.tolist()]
    beta = found.problem.beta
    least = -(math.log(math.fsum(math.exp(-beta * (mean - min(means))) for mean in means)) / beta) + min(means)
    entropy = math.fsum(q * math.log(q) for q in found.rival.tolist() if q > 0)
    rival = math.fsum(q * mean for q, mean in zip(found.rival.tolist(), means, strict=True)) + entropy / beta
    return float(1 + least - rival - 1e-12 / beta)


def _simpler(found: Rival) -> Iterator[Rival]:
    yield from (Rival(other, found.rival) for other in simpler(found.problem) if len(other.matrix) == len(found.rival))


CLAIM = Inequality(
    paper="tangent-dp",
    item="Equation (3.1)",
    place="Section 3",
    statement="no distribution has a smaller regularised risk than the Gibbs posterior",
    formula="q ∝ exp(-β ∫ r p dx) minimises ∫ q (∫ r p dx) dw + β⁻¹ ∫ q ln q dw",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: _ratio(found, 4.0),  # four times the entropy
    simpler=_simpler,
    compared="1 + objective of q - that of the other",
)
