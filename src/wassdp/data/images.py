"""Datasets of images: those that a configuration may name, and what their images look like. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import Field

from wassdp import data
from wassdp.plugins import Plugins


class Image(NamedTuple):
    """What one image of a dataset is.

    Args:
        shape: channels, height and width; a grey image has one channel.
        maximum: the largest value that a pixel can have.
    """

    shape: tuple[int, int, int]
    maximum: int


def image_of(name: str) -> Image:
    """What the images of a dataset are.

    Raises:
        ValueError: there is no such dataset, or it holds no images.

    >>> image_of("mnist")
    Image(shape=(1, 28, 28), maximum=255)
    """
    described = data.descriptor(name)
    if described.maximum is None:
        raise ValueError(f"dataset = {name!r}: must hold images")
    channels, height, width = (1, *described.shape) if len(described.shape) == 2 else described.shape
    return Image((channels, height, width), described.maximum)


@dataclass(frozen=True)
class SomeSets(Plugins):
    """Those datasets that ``fits`` accepts by their name."""

    fits: Callable[[str], bool] = bool

    def names(self) -> tuple[str, ...]:
        return tuple(filter(self.fits, super().names()))

    def _validated(self, name: str) -> str:
        super()._validated(name)
        if not self.fits(name):  # only a refusal costs a look at every dataset
            raise ValueError(f"must be one of {', '.join(self.names())}")
        return name


def _split(name: str) -> bool:
    described = data.descriptor(name)
    return described.maximum is not None and {"train", "test"} <= set(described.counts)


def _classified(name: str) -> bool:
    return _split(name) and data.descriptor(name).classes is not None


Images = Annotated[
    str, SomeSets(data.SETS.package, "dataset", fits=_split), Field(description="file of wassdp.data that holds images")
]
ClassifiedImages = Annotated[
    str,
    SomeSets(data.SETS.package, "dataset", fits=_classified),
    Field(description="file of wassdp.data that holds images with classes"),
]
