"""Optimisers by name. Everything they do after the gradient is post-processing of a private release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import nn

from wassdp import checks

Name = Literal["sgd", "momentum", "adam"]


def build(name: Name, parameters: Sequence[nn.Parameter], *, learning_rate: float) -> torch.optim.Optimizer:
    """The optimiser called ``name``: ``sgd``, ``momentum`` (0.9) or ``adam`` (0.9, 0.999).

    Raises:
        ValueError: another name, or the learning rate is not positive and finite.
    """
    checks.one_of("optimiser", name, ("sgd", "momentum", "adam"))
    checks.positive("learning_rate", learning_rate)
    if name == "adam":
        return torch.optim.Adam(parameters, lr=learning_rate, fused=True)
    return torch.optim.SGD(parameters, lr=learning_rate, momentum=0.9 if name == "momentum" else 0.0)
