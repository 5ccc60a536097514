"""The two small convolutional networks of Tramèr and Boneh (2021) for maps of scattering features."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from torch import nn

from wassdp.models.parts.layers import ACTIVATIONS, Activation, OfImages


class ScatteringCNN(OfImages):
    """Small: conv (16, stride 2) - conv (32) - dense 32 - dense. Large: conv (64) - pool - conv (64) - dense.

    All convolutions are 3x3, padded. Both expect features that are normalised already (`wassdp.features`). They have
    33,066 parameters for 81 maps of 7x7 (small), 187,210 for 243 maps of 8x8 (large), and 10 classes.

    Source: Tramèr and Boneh (2021), Differentially Private Learning Needs Better Features (or Much More Data),
    arXiv:2011.11660, Appendix C.
    """

    least: ClassVar[int] = 4

    size: Literal["small", "large"] = Field(
        default="small", description="small: for the 7x7 maps of grey images; large: for the 8x8 maps of colour images"
    )
    activation: Activation = "tanh"

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        channels, rows, columns = input_shape
        activation = ACTIVATIONS[self.activation]
        if self.size == "large":
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
