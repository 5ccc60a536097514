"""Model B: the network of *Wasserstein Differential Privacy* for CIFAR-10 and SVHN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassdp.models.parts import two_blocks
from wassdp.models.parts.two_blocks import Options as Options
from wassdp.models.parts.two_blocks import impossible as impossible

if TYPE_CHECKING:
    from torch import nn


def build(input_shape: tuple[int, ...], classes: int, options: Options) -> nn.Module:
    """Conv 5x5 (64) - ReLU - pool - norm - conv 5x5 (64) - ReLU - norm - pool - dense 384 - dense 384 - dense, ReLU.

    Source: Yang, Qi and Zhou (2024), Wasserstein Differential Privacy, AAAI, "Deep Learning", as coded.

    Args:
        input_shape: (channels, height, width), at least 16 pixels a side.
        classes: number of classes, at least 2.
        options: normalisation; ``batch`` as published. It mixes the examples of a batch, so that no
            gradient belongs to one example alone: not for clipping per example.

    Returns:
        A model; 874,058 parameters for 32x32 colour images, 10 classes and batch normalisation.

    Raises:
        ValueError: the shape is not an image's, or there are fewer than two classes.
    """
    return two_blocks.build(input_shape, classes, options, hidden=(384, 384), activation="relu")
