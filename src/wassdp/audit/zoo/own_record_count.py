"""An average over the number of records of the data set at hand, which neighbours do not share."""

from __future__ import annotations

import dataclasses

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

COORDINATES = 8
Released = Float[Tensor, "trials steps coordinates"]


class OwnRecordCount(Steps):
    """The published case: small data, 1.2 reported, and about 2.5 leaked."""

    fault = "the sum is divided by the rate times this data set's own number of records, which one record changes"
    source = "Opacus issue 571 (two or three records: 1.2 reported, about 2.5 leaked) and issue 819"
    neighbours = "two records, or one; the gradient of the one that goes has norm C, the other's is 0"
    attacks = ("closeness_to_zero", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=6.35, rate=1.0, records=2)
    count = 4

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        sums = torch.zeros(trials, self.count, COORDINATES, dtype=torch.float64)
        sums[:, :, 0] = float(present)
        mechanism = self.mechanism
        if self.wrong:
            mechanism = dataclasses.replace(mechanism, records=2 if present else 1)
        return mechanism.release(sums.flatten(), generator=generator).view_as(sums)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released[:, :, 0]

    def closeness_to_zero(self, released: Released) -> Float[Tensor, " trials"]:
        """More records, a larger divisor: smaller numbers, noise included."""
        return -released.square().sum(dim=(1, 2))
