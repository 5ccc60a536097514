"""The best of ten runs, accounted as one."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

RUNS = 10


class BestOfTen(Steps):
    """A search over seeds; a run is the better, the further its weight goes."""

    fault = "ten private runs on the same records, of which the best is released, with the budget of one"
    source = "Papernot and Steinke (2022), arXiv:2110.03620: what choosing among private runs costs"
    neighbours = "one record's gradient has norm C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1.0, records=2)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Float[Tensor, "trials steps"]:
        sums = torch.full((trials, RUNS), float(present), dtype=torch.float64)
        runs = self.noisy(sums, generator=generator)
        return runs.amax(dim=1, keepdim=True) if self.wrong else runs[:, :1]
