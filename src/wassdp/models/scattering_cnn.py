"""The two small convolutional networks of Tramèr and Boneh (2021) for maps of scattering features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from wassdp import checks
from wassdp.models.parts import layers

if TYPE_CHECKING:
    from torch import nn

LEAST = 4  # rows and columns of a feature map


class Options(layers.Options):
    """Choices of the model."""

    size: Literal["small", "large"] = Field(
        default="small", description="small: for the 7x7 maps of grey images; large: for the 8x8 maps of colour images"
    )
    activation: layers.Activation = "tanh"


def impossible(input_shape: tuple[int, ...], options: Options) -> str | None:
    """Why the model cannot be built for this shape, or None."""
    return layers.no_image(input_shape, least=LEAST)


def build(input_shape: tuple[int, ...], classes: int, options: Options) -> nn.Module:
    """Small: conv (16, stride 2) - conv (32) - dense 32 - dense. Large: conv (64) - pool - conv (64) - dense.

    All convolutions are 3x3, padded. Both expect features that are normalised already (`wassdp.features`).

    Source: Tramèr and Boneh (2021), Differentially Private Learning Needs Better Features (or Much More Data),
    arXiv:2011.11660, Appendix C.

    Args:
        input_shape: (channels, rows, columns), at least 4 rows and columns.
        classes: number of classes, at least 2.
        options: size and activation.

    Returns:
        A model; 33,066 parameters for 81 maps of 7x7 (small), 187,210 for 243 maps of 8x8 (large), and 10 classes.

    Raises:
        ValueError: the shape is not that of maps, or there are fewer than two classes.
    """
    from torch import nn

    channels, rows, columns = layers.image_shape(input_shape, least=LEAST)
    checks.whole("classes", classes, least=2)

    def activation() -> nn.Module:
        return layers.activation(options.activation)

    if options.size == "large":
        return nn.Sequential(
            *(nn.Conv2d(channels, 64, 3, padding=1), activation(), nn.MaxPool2d(2)),
            *(nn.Conv2d(64, 64, 3, padding=1), activation()),
            *(nn.Flatten(), nn.Linear(64 * (rows // 2) * (columns // 2), classes)),
        )
    return nn.Sequential(
        *(nn.Conv2d(channels, 16, 3, stride=2, padding=1), activation()),
        *(nn.Conv2d(16, 32, 3, padding=1), activation()),
        *(nn.Flatten(), nn.Linear(32 * -(-rows // 2) * -(-columns // 2), 32), activation(), nn.Linear(32, classes)),
    )
