"""A budget that begins anew with every resume."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

KILLS = 3
Released = Float[Tensor, "trials more"]


class StepsBeforeAResume(Steps):
    """A training that goes on until its budget is spent, and is killed each time, when nothing of it is left."""

    fault = (
        "the checkpoint holds the weights and not the account, so that after each kill there is a whole budget again"
    )
    source = "Opacus issues 117 and 373: what was spent is lost where a training goes on from a saved model"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("all_steps",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=0.5, records=2)
    count = 2

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        left = [self._until_spent(present, trials, generator)]
        for _ in range(KILLS):
            if self.wrong:
                left.append(self._until_spent(present, trials, generator))
        return torch.cat(left, dim=1)

    def _until_spent(self, present: bool, trials: int, generator: Bits) -> Float[Tensor, "trials steps"]:
        sums = self.enters(trials=trials, generator=generator).double() * present
        return self.noisy(sums, generator=generator)

    def all_steps(self, released: Released) -> Float[Tensor, " trials"]:
        """The likelihood ratio of as many steps as left, each of the law that is claimed of one."""
        return self.likelihood_ratio(released)
