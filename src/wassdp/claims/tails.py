"""Random losses over several steps, for statements on budgets that may fail with a probability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from wassdp.claims.laws import rounder
from wassdp.claims.words import in_words


@dataclass(frozen=True, eq=False)
class Tail:
    """Losses W_t of a mechanism's steps, which depend on chance, and a budget that their sum may exceed.

    Args:
        losses: W_t, shape (steps, outcomes), at least 0.
        probabilities: of the outcomes, shape (outcomes,).
        epsilon: ε.
        beta: β.
    """

    losses: Float[np.ndarray, "steps outcomes"]
    probabilities: Float[np.ndarray, " outcomes"]
    epsilon: float
    beta: float

    def __str__(self) -> str:
        what = f"losses {in_words(self.losses)} (steps, outcomes) with probabilities {in_words(self.probabilities)}"
        return f"β = {self.beta:.12g}, ε = {self.epsilon:.12g}, {what}"


def draw(generator: np.random.Generator) -> Tail:
    """One to three steps and two to four outcomes; ε is one of the sums, or near one."""
    steps, outcomes = int(generator.integers(1, 4)), int(generator.integers(2, 5))
    losses = generator.exponential(size=(steps, outcomes)) * 10 ** generator.uniform(-1, 1)
    if generator.random() < 0.5:  # nothing is lost in some outcome
        losses[:, 0] = 0.0
    probabilities = generator.dirichlet(np.full(outcomes, 1.0))
    epsilon = float(generator.choice(losses.sum(axis=0)) * generator.choice([1.0, 1.0, 0.9, 1.1])) or 1.0
    return Tail(losses, probabilities, epsilon, float(10 ** generator.uniform(-1, 1.5)))


def simpler(found: Tail) -> Iterator[Tail]:
    """With a step or an outcome less, equally likely outcomes, and rounder numbers."""
    steps, outcomes = found.losses.shape
    for step in range(steps if steps > 1 else 0):
        yield replace(found, losses=np.delete(found.losses, step, axis=0))
    for place in range(outcomes if outcomes > 1 else 0):
        kept = np.delete(found.probabilities, place)
        yield replace(found, losses=np.delete(found.losses, place, axis=1), probabilities=kept / kept.sum())
    even = np.full(outcomes, 1 / outcomes)
    if not np.array_equal(found.probabilities, even):
        yield replace(found, probabilities=even)
    if found.beta != 1:
        yield replace(found, beta=1.0)
    for values in rounder(found.losses):
        totals = values.sum(axis=0)
        for epsilon in sorted({found.epsilon, float(totals.max())}):
            if epsilon > 0:
                yield replace(found, losses=values, epsilon=epsilon)
