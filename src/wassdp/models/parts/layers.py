"""Pieces that the convolutional models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from torch import nn

Activation = Literal["tanh", "relu", "selu"]
Normalisation = Literal["none", "group"]


class Options(BaseModel):
    """Choices of a model; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Convolutional(Options):
    """Choices of a small convolutional model."""

    activation: Activation = Field(
        default="tanh", description="bounded activations keep gradients small under clipping (Papernot et al. 2021)"
    )
    normalisation: Normalisation = Field(
        default="none", description="group normalises each example by itself; batch normalisation would mix examples"
    )


def activation(name: Activation) -> nn.Module:
    """A fresh activation module."""
    from torch import nn

    layers: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU, "selu": nn.SELU}
    return layers[name]()


def normalisation(name: Normalisation, channels: int) -> list[nn.Module]:
    """No module, or group normalisation with groups of four channels."""
    from torch import nn

    return [nn.GroupNorm(channels // 4, channels)] if name == "group" else []


def no_image(input_shape: tuple[int, ...], *, least: int) -> str | None:
    """Why ``input_shape`` is not that of an image (channels, height, width) of at least ``least`` pixels a side."""
    if len(input_shape) == 3 and input_shape[0] >= 1 and min(input_shape[1:]) >= least:
        return None
    return f"input_shape = {input_shape!r}: must be (channels, height, width), height and width at least {least}"


def image_shape(input_shape: tuple[int, ...], *, least: int) -> tuple[int, int, int]:
    """``input_shape`` as (channels, height, width).

    Raises:
        ValueError: it is not the shape of an image of at least ``least`` pixels a side.
    """
    if reason := no_image(input_shape, least=least):
        raise ValueError(reason)
    channels, height, width = input_shape
    return channels, height, width
