"""Gradients accumulated over micro-batches that share the noise, of which one adds none."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

PARTS = 3
Released = Float[Tensor, "trials steps"]


class NoiseOnceTooFew(Steps):
    """Every micro-batch, or every worker, adds a share of the noise to its own sum."""

    fault = "of three micro-batches that add a third of the noise's variance each, the last adds none"
    source = "Opacus issue 191 and pull request 196: with several workers, which of them adds how much noise?"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1.0, records=6)
    count = 2

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        total = torch.zeros(trials, self.count, dtype=torch.float64)
        # The last factor covers the root's own rounding.
        share = noise.scaled(self.mechanism.noise_std, math.sqrt(1 / PARTS), 1 + 2**-50)
        for part in range(PARTS):
            own = torch.full_like(total, float(present and part == PARTS - 1))
            if self.wrong and part == PARTS - 1:
                total += own
                continue
            total += noise.rounded(own, std=share, generator=generator)
        return total / self.mechanism.expected_batch
