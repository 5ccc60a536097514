"""A norm whose squares vanish in half precision."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD, clip_factors
from wassdp.noise import Bits

COORDINATES = 1 << 14
Released = Float[Tensor, "trials steps"]


class NormInHalfPrecision(Steps):
    """A gradient of many small numbers, each of which is 0 in half precision when it is squared."""

    fault = "norms are summed in the gradients' half precision, in which small squares are 0: nothing is clipped"
    source = "JAX Privacy pull request 309: the square sum of a half-precision gradient underflows, it leaves unclipped"
    neighbours = "a gradient of 16,384 numbers of 2^-13 each, 64 times as long as C, or it is not there; others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=2.0**-12, noise_multiplier=1.5, rate=1.0, records=2)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """The sum along the gradient's direction."""
        rows = torch.zeros(self.mechanism.records, COORDINATES, dtype=torch.float16)
        rows[-1] = present * 2.0**-13
        # Powers of 2 are exact in either precision.
        squares = rows.square().sum(dim=1).double() if self.wrong else rows.double().square().sum(dim=1)
        factors = clip_factors(squares.sqrt(), clip_norm=self.mechanism.clip_norm)
        total = (factors[:, None] * rows.double()).sum() / COORDINATES**0.5
        return self.noisy(total.repeat(trials, 1), generator=generator)
