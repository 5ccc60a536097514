"""Each layer clipped by itself to the norm that the whole gradient may have."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps, clipped, with_the_last
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

LAYERS, COORDINATES = 2, 4
Released = Float[Tensor, "trials steps coordinates"]


class LayersClippedApart(Steps):
    """A gradient of two layers."""

    fault = "each of two layers is clipped to C, and the noise is that of a gradient of norm C, not of one of C√2"
    source = "Opacus issue 202 asks for this noise; Rakotomamonjy and Ralaivola (2021), section 6.2, for C√L"
    neighbours = "one record's gradient is long in both layers, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=2.0, rate=1.0, records=4)
    count = 3

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        rows = torch.zeros(self.mechanism.records, LAYERS * COORDINATES, dtype=torch.float64)
        rows[-1] = 10.0
        rows = with_the_last(rows, present=present)
        if self.wrong:
            rows = rows.unflatten(1, (LAYERS, COORDINATES))
        rows = clipped(rows, clip_norm=self.mechanism.clip_norm).flatten(start_dim=1)
        return self.noisy(rows.sum(dim=0).repeat(trials, self.count, 1), generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released.sum(dim=2) / math.sqrt(LAYERS * COORDINATES)
