"""DP-SWD's release of padded Poisson batches."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import RATE, mask
from wassdp.audit.pairs import dpswd
from wassdp.noise import Bits


@dataclass(frozen=True, kw_only=True)
class PaddedProjections(dpswd.Projections):
    """One record, in a batch padded to one row; its neighbour is the record with a row of 0."""

    sampling = "poisson"
    neighbours = "one row clipped to the distance, or a row of 0; the batch is padded to one row"

    def event(self) -> Composed:
        return self.mechanism(projections=self.projections, records=1, batch=RATE).event(1)

    def other(self) -> Float[Tensor, "rows d"]:
        return dpswd.LONG[:0]

    def entered(self, trials: int, generator: Bits) -> Tensor:
        sampler = self.mechanism(projections=self.projections, records=trials, batch=RATE * trials)
        drawn = sampler.sample(generator=generator)
        return mask(drawn, trials) if len(drawn) else torch.zeros(trials, dtype=torch.bool)
