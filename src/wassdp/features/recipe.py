"""From stored images to features, by public rules. This file and what it imports decide what the cache may reuse."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from wassdp import checks
from wassdp.features.deskewing import deskewed
from wassdp.features.grouped import by_group
from wassdp.features.scattering import Scattering


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A scattering transform of pixels scaled to [0, 1], channel by channel, and what follows it.

    Args:
        shape: channels, height and width of an image.
        maximum: the largest value that a pixel can have.
        scales: J of the transform.
        angles: L of the transform.
        groups: groups of `by_group`, or None for none.
        unit_norm: divide by the root of the number of features, so that normalised ones have norm about one.
        deskew: deskew the image first; it must be grey.

    Raises:
        ValueError: the image is too small for the transform, ``groups`` does not divide the channels, or an image with
            colours is to be deskewed.
    """

    shape: tuple[int, int, int]
    maximum: int
    scales: int = 2
    angles: int = 8
    groups: int | None = None
    unit_norm: bool = False
    deskew: bool = False

    def __post_init__(self) -> None:
        checks.whole("maximum", self.maximum, least=1)
        if self.deskew and self.shape[0] != 1:
            raise ValueError(f"deskew = True: must be False for images of {self.shape[0]} channels; grey ones have 1")
        if self.groups is not None and self.output_shape[0] % checks.whole("groups", self.groups, least=1):
            raise ValueError(f"groups = {self.groups}: must divide the {self.output_shape[0]} channels")

    @cached_property
    def transform(self) -> Scattering:
        """The transform of one channel."""
        return Scattering(self.shape[1:], self.scales, self.angles)

    @property
    def output_shape(self) -> tuple[int, int, int]:
        """Channels, rows and columns of one example's features."""
        channels, rows, columns = self.transform.output_shape
        return self.shape[0] * channels, rows, columns

    def __call__(self, images: NDArray[Any]) -> NDArray[np.float32]:
        """Features of stored images (whole numbers from 0 to ``maximum``; grey ones without an axis of channels)."""
        pixels = torch.from_numpy(images.astype(np.float32) / self.maximum).view(-1, *self.shape[1:])
        if self.deskew:
            pixels = deskewed(pixels)
        found = self.transform(pixels).view(len(images), *self.output_shape)
        if self.groups is not None:
            found = by_group(found, groups=self.groups)
        if self.unit_norm:
            found = found / math.sqrt(math.prod(self.output_shape))
        return np.ascontiguousarray(found.numpy())
