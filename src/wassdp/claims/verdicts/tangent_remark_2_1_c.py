"""TDP Remark 2.1(c), post-processing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, l1_norm, log_norm, quotient, simpler
from wassdp.claims.words import in_words
from wassdp.tangent import bounds


@dataclass(frozen=True, eq=False)
class Processed:
    """A problem, and a random map of its output: one distribution in each column."""

    problem: Case
    kernel: Float[np.ndarray, "outputs hypotheses"]

    def __str__(self) -> str:
        return f"{self.problem}, map of the output {in_words(self.kernel)}"


def _draw(generator: np.random.Generator) -> Processed:
    problem = case(generator)
    outputs = int(generator.integers(2, 7))
    return Processed(problem, generator.dirichlet(np.full(outputs, 0.3), size=len(problem.matrix)).T)


def _simpler(found: Processed) -> Iterator[Processed]:
    for other in simpler(found.problem):
        if len(other.matrix) == len(found.problem.matrix):
            yield Processed(other, found.kernel)


def _ratio(found: Processed) -> float:
    """The larger of both norms' ratios after and before a random map of the output."""
    problem = found.problem
    after = bounds.processed(found.kernel, problem.tangent)
    mass = found.kernel @ problem.posterior.probabilities
    kept = mass > 1e-200  # outputs that cannot occur have no log-ratio
    return max(
        quotient(l1_norm(after), l1_norm(problem.tangent)),
        quotient(log_norm(after[kept] / mass[kept, None]), log_norm(problem.log_tangent)),
    )


def _verified(found: Processed) -> float:
    q, logs = plain.posterior(found.problem), plain.by_weights(found.problem)
    mass = found.kernel @ q
    kept = mass > 1e-200
    after = (found.kernel @ (q[:, None] * logs))[kept] / mass[kept, None]
    return max(
        plain.over(plain.largest_sum(mass[kept], after), plain.largest_sum(q, logs)),
        plain.over(plain.largest_log(after), plain.largest_log(logs)),
    )


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 2.1(c)",
    place="Section 2",
    statement="after a map of the output, neither constant is larger",
    formula="‖D(K ∘ A)_p‖ ≤ ‖DA_p‖ to L¹, ‖D(log K ∘ A)_p‖ ≤ ‖D(log A)_p‖ to L^∞, K a Markov kernel",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 2 * _ratio(found),  # that a map halves them
    simpler=_simpler,
)
