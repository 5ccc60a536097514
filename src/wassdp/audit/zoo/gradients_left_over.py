"""Gradients of the step before that are still in the buffer."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits


class GradientsLeftOver(Steps):
    """A loop that adds clipped gradients to a buffer, and noise to what is released of it."""

    fault = "the buffer of sums is not cleared between steps, so that a record's gradient leaves in all later ones too"
    source = "Opacus pull request 203, in review: two steps without zero_grad, and noise for one batch"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=2.0, rate=0.5, records=4)
    count = 4

    def released(self, *, present: bool, trials: int, generator: Bits) -> Float[Tensor, "trials steps"]:
        sums = self.enters(trials=trials, generator=generator).double() * present
        if self.wrong:
            sums = sums.cumsum(dim=1)
        return self.noisy(sums, generator=generator)
