"""The convolutional network of the differentially private CIFAR-10 literature (550,570 parameters)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassdp import checks
from wassdp.models.parts import layers as _layers

if TYPE_CHECKING:
    from torch import nn

Options = _layers.Convolutional
LEAST = 8  # pixels a side


def impossible(input_shape: tuple[int, ...], options: Options) -> str | None:
    """Why the model cannot be built for this shape, or None."""
    return _layers.no_image(input_shape, least=LEAST)


def build(input_shape: tuple[int, ...], classes: int, options: Options) -> nn.Module:
    """Three times two 3x3 convolutions and a pool (32, 64 and 128 channels) - dense 128 - dense.

    Source: Papernot et al. (2021), arXiv:2007.14191, Table 2; as in Tramèr and Boneh (2021), arXiv:2011.11660.

    Args:
        input_shape: (channels, height, width), at least 8 pixels a side.
        classes: number of classes, at least 2.
        options: activation, and whether each convolution is followed by group normalisation.

    Returns:
        A model; 550,570 parameters for 32x32 colour images, 10 classes and no normalisation.

    Raises:
        ValueError: the shape is not an image's, or there are fewer than two classes.
    """
    from torch import nn

    channels, height, width = _layers.image_shape(input_shape, least=LEAST)
    checks.whole("classes", classes, least=2)
    layers: list[nn.Module] = []
    for wide in (32, 64, 128):
        for before in (channels, wide):
            layers += [
                nn.Conv2d(before, wide, 3, padding=1),
                *_layers.normalisation(options.normalisation, wide),
                _layers.activation(options.activation),
            ]
        layers.append(nn.MaxPool2d(2))
        channels = wide
    return nn.Sequential(
        *layers,
        nn.Flatten(),
        nn.Linear(128 * (height // 8) * (width // 8), 128),
        _layers.activation(options.activation),
        nn.Linear(128, classes),
    )
