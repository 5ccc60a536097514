"""Small changes of the weights of records (TDP Definitions 2.1 and 2.2).

"o(1)" is put to the test as: at a change of relative size h, the excess over the constant is at most 2(1 + 4β)h.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import tangent
from wassdp.claims.words import in_words
from wassdp.tangent import gibbs


@dataclass(frozen=True, eq=False)
class Moved:
    """A problem, and how the records' weights change: they sum to 0, and have L¹ norm ``size``."""

    problem: tangent.Case
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


def draw(generator: np.random.Generator) -> Moved:
    """A random problem and a change in a random direction."""
    problem = tangent.case(generator)
    change = generator.normal(size=problem.records)
    change -= change.mean()
    size = 10 ** generator.uniform(-5, -3) / problem.records
    return Moved(problem, change / np.abs(change).sum() * size)


def after(found: Moved) -> gibbs.Posterior:
    """The posterior of the changed data."""
    problem = found.problem
    weights = 1 / problem.records + found.change
    return gibbs.from_mean_risks(problem.matrix @ weights, problem.beta, records=problem.records)


def simpler(found: Moved) -> Iterator[Moved]:
    """The same change of a simpler problem."""
    for other in tangent.simpler(found.problem):
        if other.records == found.problem.records:
            yield Moved(other, found.change)
