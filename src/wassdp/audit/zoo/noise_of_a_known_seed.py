"""Noise that anybody can draw again."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import noise
from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = tuple[Int64[Tensor, " trials"], Float[Tensor, "trials steps"]]


class NoiseOfAKnownSeed(Steps):
    """A run whose seed stands in its configuration, which is published with the weights."""

    fault = "the noise comes from the seed of initialisation and order, which is no secret: it can be subtracted"
    source = "PrivCount issue 65: who can tell the generator's state removes the noise; diffprivlib issue 31"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("without_that_noise",)
    # Every trial has a seed of its own.
    trials = 500
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1.0, records=2)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """Seeds and releases."""
        seeds = torch.from_numpy(noise.integers(1 << 32, trials, generator=generator))
        sums = torch.full((trials, 1), float(present), dtype=torch.float64)
        if not self.wrong:
            return seeds, self.noisy(sums, generator=generator)
        left = [
            self.noisy(total, generator=noise.seeded(seed)) for seed, total in zip(seeds.tolist(), sums, strict=True)
        ]
        return seeds, torch.stack(left)

    def without_that_noise(self, released: Released) -> Float[Tensor, " trials"]:
        """What is left of each release is a whole record or nothing, if this was its noise; else it is noise."""
        seeds, left = released
        again = torch.stack(
            [self.noisy(torch.zeros(1, dtype=torch.float64), generator=noise.seeded(seed)) for seed in seeds.tolist()]
        )
        return -((left - again) * self.mechanism.expected_batch - self.mechanism.clip_norm).abs()[:, 0]
