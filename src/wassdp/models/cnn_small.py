"""The usual small convolutional network of the differentially private MNIST literature (26,010 parameters)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassdp import checks
from wassdp.models.parts import layers

if TYPE_CHECKING:
    from torch import nn

Options = layers.Convolutional
LEAST = 16  # pixels a side


def impossible(input_shape: tuple[int, ...], options: Options) -> str | None:
    """Why the model cannot be built for this shape, or None."""
    return layers.no_image(input_shape, least=LEAST)


def build(input_shape: tuple[int, ...], classes: int, options: Options) -> nn.Module:
    """Conv 8x8 (16, stride 2) - pool - conv 4x4 (32, stride 2) - pool - dense 32 - dense.

    Source: Papernot et al. (2021), Tempered Sigmoid Activations for Deep Learning with Differential
    Privacy, arXiv:2007.14191, Table 1.

    Args:
        input_shape: (channels, height, width), at least 16 pixels a side.
        classes: number of classes, at least 2.
        options: activation and normalisation.

    Returns:
        A model; 26,010 parameters for 28x28 grey images, 10 classes and no normalisation.

    Raises:
        ValueError: the shape is not an image's, or there are fewer than two classes.
    """
    import torch
    from torch import nn

    channels, height, width = layers.image_shape(input_shape, least=LEAST)
    checks.whole("classes", classes, least=2)
    features = nn.Sequential(
        nn.Conv2d(channels, 16, 8, stride=2, padding=3),
        *layers.normalisation(options.normalisation, 16),
        layers.activation(options.activation),
        nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, stride=2),
        *layers.normalisation(options.normalisation, 32),
        layers.activation(options.activation),
        nn.MaxPool2d(2, 1),
        nn.Flatten(),
    )
    with torch.no_grad():
        width_of_features = features(torch.zeros(1, channels, height, width)).shape[1]
    return nn.Sequential(
        *features, nn.Linear(width_of_features, 32), layers.activation(options.activation), nn.Linear(32, classes)
    )
