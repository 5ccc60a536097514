"""The sampling rate of a micro-batch, in the account of a step that has two of them."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits


class RateOfAMicroBatch(Steps):
    """Poisson samples, the sums of which are gathered before the noise."""

    fault = "two Poisson samples are gathered into each step, and the account has the rate of one of them"
    source = "Opacus refuses to gather Poisson samples (issue 459), and tells physical batches from sampled ones (502)"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.0, rate=0.1, records=10)
    count = 10

    def released(self, *, present: bool, trials: int, generator: Bits) -> Float[Tensor, "trials steps"]:
        sums = self.enters(trials=trials, generator=generator).double()
        if self.wrong:
            sums += self.enters(trials=trials, generator=generator)
        return self.noisy(sums * present, generator=generator)
