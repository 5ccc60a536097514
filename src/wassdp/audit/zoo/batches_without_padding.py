"""DP-SWD on Poisson samples that are not padded: the number of rows tells who was drawn."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.accounting.event import Event
from wassdp.audit.specimen import Specimen
from wassdp.mechanisms.dpswd import DPSWD
from wassdp.noise import Bits

Released = list[Float[Tensor, "projections _"]]


class BatchesWithoutPadding(Specimen):
    """Noisy projections of the rows that were drawn."""

    fault = "only the rows that were drawn are projected and noised, and their number is released with them"
    source = "a mutation of this project's padded release; Rakotomamonjy and Ralaivola (2021), Algorithm 2"
    neighbours = "a row of norm 1 is there or not, which padding makes the same as the zero row; the other row is 0"
    attacks = ("rows_then_distances",)
    # Every trial is a release of its own.
    trials = 500
    mechanism = DPSWD(sigma=2.0, projections=1, dimension=3, records=2, batch=1, sampling="poisson")

    def event(self) -> Event:
        return self.mechanism.event(1)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        rows = torch.zeros(self.mechanism.records, self.mechanism.dimension, dtype=torch.float64)
        rows[-1, 0] = 1.0
        left = []
        for _ in range(trials):
            drawn = self.mechanism.sample(generator=generator)
            batch = rows[drawn] if present else rows[drawn[drawn != len(rows) - 1]]
            left.append(self._release(batch, generator))
        return left

    def _release(self, batch: Float[Tensor, "rows dimension"], generator: Bits) -> Float[Tensor, "projections places"]:
        projections = self.mechanism.release(batch, generator=generator).projections
        # All places hold noise, and rows are in random ones; without padding there are no others.
        return projections[:, : len(batch)] if self.wrong else projections

    def rows_then_distances(self, released: Released) -> Float[Tensor, " trials"]:
        """How many rows there are, and among as many how far they are from 0."""
        distances = torch.stack([projections.abs().sum() for projections in released])
        return torch.tensor([projections.shape[1] for projections in released]) + distances / (1 + distances)
