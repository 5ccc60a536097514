"""An average over the records that were drawn, in place of the number expected."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

COORDINATES = 30
Released = Float[Tensor, "trials steps coordinates"]


class RealisedBatch(Steps):
    """A step that averages."""

    fault = "the noisy sum is divided by the size of the batch that was drawn, which tells who was"
    source = "asked for in Opacus issue 420: 'Shouldn't we use the actual sample size for averaging?'"
    neighbours = "two records or one, each drawn with probability .75; the one that goes has norm C, the other is 0"
    attacks = ("least_spread", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=10.0, rate=0.75, records=2)
    count = 3

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        members = self.members(trials=trials, generator=generator)
        members[:, :, -1] &= present
        sums = torch.zeros(trials, self.count, COORDINATES, dtype=torch.float64)
        sums[:, :, 0] = members[:, :, -1].double()
        left = self.noisy(sums, generator=generator)
        if self.wrong:
            drawn = members.sum(dim=2, keepdim=True).clamp(min=1)
            left = left * self.mechanism.expected_batch / drawn
        return left

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released[:, :, 0]

    def least_spread(self, released: Released) -> Float[Tensor, " trials"]:
        """Larger batches, smaller noise: in the step of the least."""
        return -released.square().sum(dim=2).amin(dim=1)
