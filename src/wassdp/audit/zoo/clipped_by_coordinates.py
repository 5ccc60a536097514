"""Every number of a gradient clipped by itself."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps, clipped
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

COORDINATES = 4
Released = Float[Tensor, "trials coordinates"]


class ClippedByCoordinates(Steps):
    """A gradient of four numbers, all of them large."""

    fault = "each number of a gradient is clipped to C, and not its norm, which can then be C√4"
    source = "Truxify issue 3844 clips numbers to [-1, 1] in place of a norm; torch's clip_grad_value_ does so, too"
    neighbours = "one record's gradient is 10C in all numbers, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1.0, records=2)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        rows = torch.zeros(self.mechanism.records, COORDINATES, dtype=torch.float64)
        rows[-1] = 10.0 * present
        clip_norm = self.mechanism.clip_norm
        rows = rows.clamp(-clip_norm, clip_norm) if self.wrong else clipped(rows, clip_norm=clip_norm)
        return self.noisy(rows.sum(dim=0).repeat(trials, 1), generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released.sum(dim=1, keepdim=True) / math.sqrt(COORDINATES)
