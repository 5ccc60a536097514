"""Multinomial logistic regression on the flattened input."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from wassdp import checks
from wassdp.models.parts.layers import Options as Options

if TYPE_CHECKING:
    from torch import nn


def impossible(input_shape: tuple[int, ...], options: Options) -> str | None:
    """None: every shape will do."""
    return None


def build(input_shape: tuple[int, ...], classes: int, options: Options) -> nn.Module:
    """Logits W x + b, both zero at the start: the loss is convex, and zero is the same start for every seed.

    Args:
        input_shape: shape of one input.
        classes: number of classes, at least 2.
        options: none are open.

    Returns:
        A model with (prod(input_shape) + 1) * classes parameters.

    Raises:
        ValueError: fewer than two classes.
    """
    from torch import nn

    checks.whole("classes", classes, least=2)
    layer = nn.Linear(math.prod(input_shape), classes)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return nn.Sequential(nn.Flatten(), layer)
