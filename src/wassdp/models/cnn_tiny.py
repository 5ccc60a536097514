"""A convolutional network for images of eight pixels a side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassdp import checks
from wassdp.models.parts import layers

if TYPE_CHECKING:
    from torch import nn

Options = layers.Convolutional
LEAST = 4  # pixels a side


def impossible(input_shape: tuple[int, ...], options: Options) -> str | None:
    """Why the model cannot be built for this shape, or None."""
    return layers.no_image(input_shape, least=LEAST)


def build(input_shape: tuple[int, ...], classes: int, options: Options) -> nn.Module:
    """Conv 3x3 (16) - pool - dense.

    Few parameters, since the noise of DP-SGD grows with the root of their number.

    Args:
        input_shape: (channels, height, width), at least 4 pixels a side.
        classes: number of classes, at least 2.
        options: activation and normalisation.

    Returns:
        A model; 2,730 parameters for 8x8 grey images, 10 classes and no normalisation.

    Raises:
        ValueError: the shape is not an image's, or there are fewer than two classes.
    """
    from torch import nn

    channels, height, width = layers.image_shape(input_shape, least=LEAST)
    checks.whole("classes", classes, least=2)
    return nn.Sequential(
        nn.Conv2d(channels, 16, 3, padding=1),
        *layers.normalisation(options.normalisation, 16),
        layers.activation(options.activation),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * (height // 2) * (width // 2), classes),
    )
