"""DP-SWD as the published code computes it, and the budget that the paper's Proposition 2 gives it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.accountants.published.swd_bernstein import SWDBernsteinAccountant
from wassdp.accounting.events.qualified import Qualified
from wassdp.audit.pair import Pair
from wassdp.mechanisms.published_sliced import PublishedDPSWD
from wassdp.noise import Bits

DIMENSION, PROJECTIONS, BATCH = 784, 200, 4


@dataclass(frozen=True, kw_only=True)
class DividedByLargestNorm(Pair):
    """The longest row is replaced by a short one: the divisor, which carries no noise, halves.

    Full batches, so that the record enters each. What a trial's score reads does not depend on noise or directions: one
    release of each world is all trials.
    """

    attacks = PublishedDPSWD
    attacked = "PublishedDPSWD.release"
    neighbours = "the batch's longest row, twice as long as the others, or one as long as these"
    noise_unit = "sigma"
    accountant = SWDBernsteinAccountant()

    def mechanism(self) -> PublishedDPSWD:
        """The release of one full batch."""
        return PublishedDPSWD(
            sigma=self.noise, projections=PROJECTIONS, dimension=DIMENSION, records=BATCH, batch=BATCH
        )

    def event(self) -> Qualified:
        return self.mechanism().event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        rows = torch.zeros(BATCH, DIMENSION, dtype=torch.float64)
        rows[:, 0] = 1.0
        rows[0, 0] += present
        return np.full(trials, float(self.mechanism().release(rows, generator=generator).divisor))
