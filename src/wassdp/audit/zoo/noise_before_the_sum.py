"""Noise that is added before the sum is complete."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials moves"]


class NoiseBeforeTheSum(Steps):
    """A step's gradients come in two micro-batches; what moves the weights is seen."""

    fault = "the optimiser runs after each micro-batch, and the noise, added to the first, is in both sums alike"
    source = "optax issue 148: where between the sums of several devices does the noise belong?"
    neighbours = "a record of the second micro-batch has a gradient of norm C, or it is not there; all others are 0"
    attacks = ("difference_of_moves", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=2.0, rate=1.0, records=4)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """What the weights move by after either micro-batch; nothing as long as the sum is not complete."""
        first = torch.zeros(trials, dtype=torch.float64)
        second = torch.full_like(first, float(present))
        if self.wrong:
            noisy = self.noisy(first, generator=generator)
            return torch.stack([noisy, noisy + second / self.mechanism.expected_batch], dim=1)
        return torch.stack([first, self.noisy(first + second, generator=generator)], dim=1)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released[:, 1:]

    def difference_of_moves(self, released: Released) -> Float[Tensor, " trials"]:
        """What came in between."""
        return released[:, 1] - released[:, 0]
