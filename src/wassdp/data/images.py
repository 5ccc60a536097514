"""Datasets of images: those that a configuration may name, and what their images look like. Imports no torch."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field

from wassdp import data
from wassdp.data.base import Dataset
from wassdp.data.some_sets import SomeSets


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


def _split(declared: Dataset) -> bool:
    return declared.maximum is not None and {"train", "test"} <= set(declared.counts)


Images = Annotated[str, SomeSets(fits=_split), Field(description="file of wassdp.data that holds images")]
ClassifiedImages = Annotated[
    str,
    SomeSets(fits=lambda declared: _split(declared) and declared.classes is not None),
    Field(description="file of wassdp.data that holds images with classes"),
]
