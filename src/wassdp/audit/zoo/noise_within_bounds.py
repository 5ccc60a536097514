"""Noise that is drawn again where it is large."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

BOUND = 2.0
"""In deviations of the noise."""
Released = Float[Tensor, "trials steps"]


class NoiseWithinBounds(Steps):
    """A release without outliers."""

    fault = "noise beyond two deviations is drawn again: a release further off than that proves which world it is"
    source = "Holohan et al. (2018), arXiv:1808.10410: drawing again until a release is in bounds takes more noise"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio", "beyond_the_bound")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1.0, records=2)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        sums = torch.full((trials, self.count), float(present), dtype=torch.float64)
        left = self.noisy(sums, generator=generator)
        bound = BOUND * self.mechanism.noise_std
        while self.wrong:
            far = (left * self.mechanism.expected_batch - sums).abs() > bound
            if not far.any():
                break
            left[far] = self.noisy(sums[far], generator=generator)
        return left

    def beyond_the_bound(self, released: Released) -> Float[Tensor, " trials"]:
        """Above what a release without the record can be, or below what one with it can be."""
        sums = released[:, 0] * self.mechanism.expected_batch
        bound = BOUND * self.mechanism.noise_std
        return (sums > bound).double() - (sums < self.mechanism.clip_norm - bound).double()
