"""What follows the gradients of a training. All that it does is post-processing of a private release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import torch
from pydantic import Field
from torch import nn

from wassdp.ranges import LearningRate
from wassdp.sections import Section
from wassdp.training.averaging import Average, Exponential, Tail

Name = Literal["sgd", "momentum", "adam"]


class Optimiser(Section):
    """What follows the gradients; post-processing of the release."""

    name: Name = Field(default="momentum", description="momentum means SGD with 0.9")
    learning_rate: LearningRate
    averaging: Annotated[Exponential | Tail, Field(discriminator="name")] | None = Field(
        default=None,
        exclude_if=lambda section: section is None,
        description="of the weights, for evaluation; null: the latest weights count",
    )

    def build(self, weights: Sequence[nn.Parameter]) -> torch.optim.Optimizer:
        """SGD, without or with momentum 0.9, or Adam (0.9, 0.999), of ``weights``."""
        if self.name == "adam":
            return torch.optim.Adam(weights, lr=self.learning_rate, fused=True)
        return torch.optim.SGD(weights, lr=self.learning_rate, momentum=0.9 if self.name == "momentum" else 0.0)

    def average(self, steps: int) -> Average:
        """A fresh average of the weights of a training of so many steps."""
        return Average() if self.averaging is None else self.averaging.over(steps)
