"""Choices that experiment kinds which train have in common: model, optimiser, privacy, engine. Imports no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from wassdp import data
from wassdp.plugins import Plugins
from wassdp.sections import Section

if TYPE_CHECKING:
    from wassdp.training.averaging import Average


def _absent(section: object) -> bool:
    """A section that is not there is no part of a specification, so that new sections leave old runs' ids alone."""
    return section is None


class ExponentialAveraging(Section):
    """Moving average of the weights (`wassdp.training.averaging.Exponential`)."""

    name: Literal["exponential"]
    decay: float = Field(gt=0, lt=1)


class TailAveraging(Section):
    """Mean of the weights over the last steps (`wassdp.training.averaging.Tail`)."""

    name: Literal["tail"]
    fraction: float = Field(gt=0, le=1, description="share of the steps that are averaged")


Averaging = Annotated[ExponentialAveraging | TailAveraging, Field(discriminator="name")]


class Optimiser(Section):
    """What follows the gradients; post-processing of the release."""

    name: Literal["sgd", "momentum", "adam"] = Field(default="momentum", description="momentum means SGD with 0.9")
    learning_rate: float = Field(gt=0)
    averaging: Averaging | None = Field(
        default=None, exclude_if=_absent, description="of the weights, for evaluation; null: the latest weights count"
    )

    def average(self, steps: int) -> Average:
        """A fresh average of the weights of a training of so many steps."""
        from wassdp.training import averaging

        if self.averaging is None:
            return averaging.Latest()
        if self.averaging.name == "exponential":
            return averaging.Exponential(decay=self.averaging.decay)
        return averaging.Tail(fraction=self.averaging.fraction, steps=steps)


class Augmentation(Section):
    """Several random views of each image in a step; an example's loss is their mean, so it still counts once."""

    copies: int = Field(ge=1, le=64, description="views of each example in a step")
    crop: int = Field(default=4, ge=0, description="pixels by which a view may be moved in each direction")
    flip: bool = Field(default=True, description="mirror half of the views, left and right")


def _classified_images(name: str) -> bool:
    described = data.descriptor(name)
    split = {"train", "test"} <= set(described.counts)
    return split and described.maximum is not None and described.classes is not None


def _images(name: str) -> str:
    try:
        allowed = _classified_images(name)
    except ValueError:
        allowed = False
    if not allowed:  # only a refusal costs a look at every dataset
        raise ValueError(f"must be one of {', '.join(each for each in data.names() if _classified_images(each))}")
    return name


Images = Annotated[
    str, AfterValidator(_images), Field(description="file of wassdp.data that holds images with classes")
]
ENGINES = Plugins("wassdp.training.engines", "engine")
Engine = Annotated[str, ENGINES, Field(description="file of wassdp.training.engines")]
