"""A statistic of the batch in the model: one example changes the gradients of all."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.audit.steps import Steps, clipped
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits
from wassdp.training.example_gradients import one_by_one

Released = Float[Tensor, "trials coordinates"]


class BatchStatistic(Steps):
    """A linear model on normalised inputs, and gradients of one example's loss each, clipped one by one."""

    fault = "inputs are normalised by mean and deviation of the batch, so that each gradient depends on all examples"
    source = "batch normalisation, which Opacus's validator refuses, and Wasserstein DP's published code uses"
    neighbours = "one record's input is far from all others, or it is not there"
    attacks = ("likelihood_ratio", "against_the_others")
    mechanism = DPSGD(clip_norm=0.1, noise_multiplier=1.5, rate=1.0, records=9)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        inputs = torch.tensor([[1.0, 0.0]] * 4 + [[0.0, 1.0]] * 4 + [[-1000.0, 1000.0]], dtype=torch.float64)
        targets = torch.tensor([0] * 4 + [1] * 5)
        records = len(targets) if present else len(targets) - 1
        normalised: nn.Module = nn.LayerNorm(2, elementwise_affine=False, dtype=torch.float64)
        if self.wrong:
            normalised = nn.BatchNorm1d(2, affine=False, dtype=torch.float64)
        linear = nn.utils.skip_init(nn.Linear, 2, 2, bias=False, dtype=torch.float64)
        nn.init.zeros_(linear.weight)
        rows = one_by_one(nn.Sequential(normalised, linear), inputs[:records], targets[:records], count=records).rows
        total = clipped(rows, clip_norm=self.mechanism.clip_norm).sum(dim=0)
        return self.noisy(total.repeat(trials, 1), generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        """Every gradient has these signs as long as an example is normalised by itself."""
        signs = torch.tensor([-0.5, 0.5, 0.5, -0.5], dtype=released.dtype)
        return (released @ signs)[:, None]

    def against_the_others(self, released: Released) -> Float[Tensor, " trials"]:
        """The same, with the other sign: the others lose what they had in common."""
        return -self.along(released)[:, 0]
