"""Multinomial logistic regression on the flattened input."""

from __future__ import annotations

import math
from typing import ClassVar

from torch import nn

from wassdp.models import Architecture


class Linear(Architecture):
    """Logits W x + b, both zero at the start: the loss is convex, and zero is the same start for every seed.

    Every shape will do. The model has (prod(input_shape) + 1) * classes parameters.
    """

    linear: ClassVar[bool] = True

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        layer = nn.Linear(math.prod(input_shape), classes)
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
        return nn.Sequential(nn.Flatten(), layer)
