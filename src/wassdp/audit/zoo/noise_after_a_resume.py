"""After a resume, the noise of the steps before the kill once more."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials steps"]


class NoiseAfterAResume(Steps):
    """A training that is killed half-way, and goes on from its checkpoint."""

    fault = "the checkpoint does not hold the stream of the noise, which starts anew from its seed"
    source = "VeOmni pull request 1189: a resumed training replays the stream of its noise from the start"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("difference_of_halves", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=0.5, records=2)
    count = 4

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        sums = self.enters(trials=trials, generator=generator).double() * present
        before, after = sums.chunk(2, dim=1)
        seed = generator.get_state()
        left = [self.noisy(before, generator=generator)]
        checkpoint = generator.get_state()
        # The kill. What goes on has the checkpoint, or only the seed that it was started with.
        generator.set_state(seed if self.wrong else checkpoint)
        left.append(self.noisy(after, generator=generator))
        return torch.cat(left, dim=1)

    def difference_of_halves(self, released: Released) -> Float[Tensor, " trials"]:
        """Of each step and the one in its place after the resume: the noise cancels, the record does not."""
        before, after = released.chunk(2, dim=1)
        return (before - after).abs().amax(dim=1)
