"""Estimates from draws of a Gibbs posterior, for TDP Remarks 3.2(c) and 3.4(b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wassdp.claims import tangent_plain as plain
from wassdp.claims.tangent import Case, case

DRAWS = 10_000
LARGEST = 6.0  # standard errors of a risk in [0, 1]: one draw in 10^7 is further off


@dataclass(frozen=True, eq=False)
class Estimated:
    """A problem, and the seed of the draws."""

    problem: Case
    seed: int

    def __str__(self) -> str:
        return f"{self.problem}, {DRAWS} draws of seed {self.seed}"

    @property
    def counts(self) -> np.ndarray:
        """How often each hypothesis was drawn."""
        return np.random.default_rng(self.seed).multinomial(DRAWS, plain.posterior(self.problem))


def draw(generator: np.random.Generator) -> Estimated:
    """A random problem and a seed."""
    return Estimated(case(generator), int(generator.integers(2**31)))
