"""The same noise in every step."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials steps"]


class NoiseOfEveryStep(Steps):
    """A training whose step is handed a generator."""

    fault = "the generator is set to its seed at the start of every step, so that all steps add the same noise"
    source = "JAX issue 192 and pull request 3646: a key that is used again gives the same numbers again"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("spread_of_steps", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=0.5, records=2)
    count = 3

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        sums = self.enters(trials=trials, generator=generator).double() * present
        seed, left = generator.get_state(), []
        for total in sums.unbind(dim=1):
            if self.wrong:
                generator.set_state(seed)
            left.append(self.noisy(total, generator=generator))
        return torch.stack(left, dim=1)

    def spread_of_steps(self, released: Released) -> Float[Tensor, " trials"]:
        """Steps with and without the record differ, even where the noise cancels."""
        return released.amax(dim=1) - released.amin(dim=1)
