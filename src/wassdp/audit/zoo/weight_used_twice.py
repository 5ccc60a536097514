"""A weight that two layers share: each example's gradient is measured at one place, and added at both."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD, clip_factors
from wassdp.noise import Bits
from wassdp.training.clipping.per_example import Outer, OuterSum

INPUTS, OUTPUTS = 3, 2
Released = Float[Tensor, "trials size"]


class WeightUsedTwice(Steps):
    """Ghost norms: clip factors from what each use of a weight saw, without any example's gradient."""

    fault = "norms are those of the gradient at the weight's first use; the sum has its gradients at both uses"
    source = "Opacus issue 413 and pull request 417: tied parameters confuse what follows gradients by layers"
    neighbours = "one record's two uses have the same gradient, longer than C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1.0, records=3)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        inputs = torch.ones(self.mechanism.records, 2, INPUTS, dtype=torch.float64)
        outputs = torch.zeros(self.mechanism.records, 2, OUTPUTS, dtype=torch.float64)
        outputs[-1] = 3.0 * present
        uses = OuterSum(inputs, outputs)
        squared = uses.squared_norms()
        if self.wrong:
            squared = Outer(inputs[:, 0], outputs[:, 0]).squared_norms()
        total = torch.zeros(OUTPUTS * INPUTS, dtype=torch.float64)
        uses.add_weighted(clip_factors(squared.sqrt(), clip_norm=self.mechanism.clip_norm), total)
        return self.noisy(total.repeat(trials, 1), generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released.sum(dim=1, keepdim=True) / math.sqrt(OUTPUTS * INPUTS)
