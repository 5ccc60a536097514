"""Pieces that the convolutional models share."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from torch import nn

from wassdp.models import Architecture

Activation = Literal["tanh", "relu", "selu"]
Normalisation = Literal["none", "group"]
ACTIVATIONS: dict[Activation, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU, "selu": nn.SELU}


class OfImages(Architecture):
    """Choices of a model of images, or of maps, of at least ``least`` pixels a side."""

    least: ClassVar[int]

    def impossible(self, input_shape: tuple[int, ...]) -> str | None:
        if len(input_shape) == 3 and input_shape[0] >= 1 and min(input_shape[1:]) >= self.least:
            return None
        return (
            f"input_shape = {input_shape!r}: must be (channels, height, width), height and width at least {self.least}"
        )


class Convolutional(OfImages):
    """Choices of a small convolutional model."""

    activation: Activation = Field(
        default="tanh", description="bounded activations keep gradients small under clipping (Papernot et al. 2021)"
    )
    normalisation: Normalisation = Field(
        default="none", description="group normalises each example by itself; batch normalisation would mix examples"
    )

    def activated(self) -> nn.Module:
        """A fresh activation module."""
        return ACTIVATIONS[self.activation]()

    def normalised(self, channels: int) -> list[nn.Module]:
        """No module, or group normalisation with groups of four channels."""
        return normalisation(self.normalisation, channels)


def normalisation(name: Normalisation, channels: int) -> list[nn.Module]:
    """No module, or group normalisation with groups of four channels."""
    return [nn.GroupNorm(channels // 4, channels)] if name == "group" else []
