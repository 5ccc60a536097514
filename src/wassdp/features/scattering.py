"""Scattering coefficients of images."""

from __future__ import annotations

import functools
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor

from wassdp.features import filters
from wassdp.features.deskewing import deskewed
from wassdp.features.fixed import FixedFeatures
from wassdp.features.wavelets import ScatteringTransform


class Scattering(FixedFeatures):
    """Scattering coefficients of pixels scaled to [0, 1], channel by channel."""

    name: Literal["scattering"] = "scattering"
    scales: int = Field(default=2, ge=1, le=6, description="J of the scattering transform")
    angles: int = Field(default=8, ge=1, le=16, description="L of the scattering transform")
    deskew: bool = Field(
        default=False,
        exclude_if=lambda chosen: not chosen,
        description="take the slant out of each grey image first, by its own moments; costs no privacy",
    )

    def output_shape(self, image: tuple[int, int, int]) -> tuple[int, int, int]:
        rows, columns = (filters.output_side(side, self.scales) for side in image[1:])
        return image[0] * filters.channels(self.scales, self.angles), rows, columns

    def impossible(self, image: tuple[int, int, int]) -> str | None:
        if self.deskew and image[0] != 1:
            return f"deskew: is for grey images, these have {image[0]} channels"
        return filters.impossible(image, self.scales) or super().impossible(image)

    def maps(
        self, pixels: Float[np.ndarray, "batch channels height width"], maximum: int
    ) -> Float[Tensor, "batch maps rows columns"]:
        batch, channels, height, width = pixels.shape
        grey = torch.from_numpy(pixels / maximum).view(-1, height, width)
        if self.deskew:
            grey = deskewed(grey)
        transform = _transform((height, width), self.scales, self.angles)
        return transform(grey).view(batch, *self.output_shape((channels, height, width)))


_transform = functools.lru_cache(ScatteringTransform)
