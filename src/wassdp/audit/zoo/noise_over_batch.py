"""Noise that is divided by the batch size once too often."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials steps"]


class NoiseOverBatch(Steps):
    """The published case: a claim of (.21, 1e-5), and more than 2.79 measured."""

    fault = "the noise is divided by the batch size, and what it is added to is the sum and not the average"
    source = (
        "Tramèr et al. (2022), arXiv:2202.12219: sensitivities of layers' gradients were off by a factor of the batch "
        "size in the code of backpropagation clipping; .21 claimed, above 2.79 measured"
    )
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio", "largest_step")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.65, rate=0.02, records=5000)
    count = 10

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        sums = self.enters(trials=trials, generator=generator).double() * present
        if self.wrong:
            return (sums + self.noisy(sums * 0, generator=generator)) / self.mechanism.expected_batch
        return self.noisy(sums, generator=generator)

    def largest_step(self, released: Released) -> Float[Tensor, " trials"]:
        """A step that the record entered stands out where there is next to no noise."""
        return released.amax(dim=1)
