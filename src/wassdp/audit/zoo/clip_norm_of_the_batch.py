"""A clip norm that is a quantile of the same batch's norms, and the noise with it."""

from __future__ import annotations

import dataclasses

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps, clipped, with_the_last
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

COORDINATES = 30
Released = Float[Tensor, "trials coordinates"]


class ClipNormOfTheBatch(Steps):
    """A step that adapts to how long gradients are."""

    fault = "C, and with it the noise zC, are the median of the batch's own norms, which one record can double"
    source = "Figures 2 and 4 of Wasserstein differential privacy, whose C is a quantile of the step's private norms"
    neighbours = "two gradients have norm 1 and three have norm 2, or one of these is not there"
    attacks = ("spread", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=2.0, rate=1.0, records=5)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        rows = torch.zeros(self.mechanism.records, COORDINATES, dtype=torch.float64)
        rows[:, 0] = torch.tensor([1.0, -1.0, 2.0, -2.0, 2.0])
        rows, mechanism = with_the_last(rows, present=present), self.mechanism
        if self.wrong:
            mechanism = dataclasses.replace(mechanism, clip_norm=float(rows.norm(dim=1).median()))
        sums = clipped(rows, clip_norm=mechanism.clip_norm).sum(dim=0).repeat(trials, 1)
        return mechanism.release(sums.flatten(), generator=generator).view_as(sums)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released[:, :1]

    def spread(self, released: Released) -> Float[Tensor, " trials"]:
        """Coordinates that hold noise alone tell its scale."""
        return released[:, 1:].square().sum(dim=1)
