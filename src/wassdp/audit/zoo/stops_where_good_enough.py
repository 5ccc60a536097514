"""Early stopping by the training records' own loss."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials steps"]


class StopsWhereGoodEnough(Steps):
    """A training that ends where the loss of all its records, or of what left so far, is small enough."""

    fault = "a training ends as soon as the loss of its own records, which has no noise, is below a bound"
    source = (
        "early stopping by a training loss; Papernot and Steinke (2022), arXiv:2110.03620, on choices from private data"
    )
    neighbours = "one record's loss is large whatever the weights are, or it is not there; all gradients are 0"
    attacks = ("steps_there_are",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=4.0, rate=0.2, records=5)
    count = 5

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """What each step releases; NaN for those that the run did not come to."""
        left = self.noisy(torch.zeros(trials, self.count, dtype=torch.float64), generator=generator)
        # The record's gradient is 0 where its loss is flat: it is in no sum, and in the mean of losses alone.
        losses = torch.full((trials, self.count), float(present))
        if not self.wrong:
            losses = left.abs().cummin(dim=1).values
        good = losses < 0.5
        return left.masked_fill(good.cumsum(dim=1) > 0, torch.nan)

    def steps_there_are(self, released: Released) -> Float[Tensor, " trials"]:
        """How many releases there are."""
        return (~torch.isnan(released)).sum(dim=1).double()
