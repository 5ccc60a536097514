"""Batches that are cut once and used in every pass, accounted as Poisson samples."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

STEPS_OF_A_PASS = 4
Released = Float[Tensor, "trials steps"]


class FixedBatchSteps(Steps):
    """A loader that does not shuffle: whoever knows a record's place knows the steps that it enters."""

    fault = "batches follow the order of the file, the same in every pass, and are accounted as Poisson samples"
    source = "private-transformers issue 7: fixed, non-overlapping batches under an account of Poisson samples"
    neighbours = "the last record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("own_steps", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1 / STEPS_OF_A_PASS, records=8)
    count = 4 * STEPS_OF_A_PASS

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        enters = self.enters(trials=trials, generator=generator)
        if self.wrong:
            # The last record is in the last batch of each pass.
            enters = (torch.arange(1, self.count + 1) % STEPS_OF_A_PASS == 0).expand(trials, -1)
        return self.noisy(enters.double() * present, generator=generator)

    def own_steps(self, released: Released) -> Float[Tensor, " trials"]:
        """The sum over the last step of every pass."""
        return released[:, STEPS_OF_A_PASS - 1 :: STEPS_OF_A_PASS].sum(dim=1)
