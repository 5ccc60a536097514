"""What all fixed features of images have in common: what follows them, and what they are on public photographs."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from wassdp.data.images import Image
from wassdp.features import crafted, photographs
from wassdp.features.grouped import GroupNormalisation, by_group
from wassdp.features.moments import ReleasedNormalisation
from wassdp.features.public_moments import PhotographsNormalisation
from wassdp.sections import Section

BLOCK = 64  # crops at a time
Normalisation = Annotated[
    GroupNormalisation | ReleasedNormalisation | PhotographsNormalisation, Field(discriminator="name")
]


class FixedFeatures(Section):
    """From stored images to features, by public rules: an example's features depend on nothing but the example.

    Only `normalisation` by released moments depends on the records; it, and all else that is measured, comes after what
    is kept on the disk.
    """

    normalisation: Normalisation | None = None
    unit_norm: bool = Field(
        default=True, description="divide by the root of their number, so that normalised ones have norm about one"
    )

    @property
    def groups(self) -> int | None:
        """Groups of channels in which each example is normalised by itself, if it is."""
        return None if self.normalisation is None else self.normalisation.groups

    @property
    def damped(self) -> int:
        """Directions that are damped."""
        return getattr(self.normalisation, "damped", 0)

    @property
    def kept(self) -> dict[str, Any]:
        """All choices that decide what is kept on the disk."""
        return self.model_dump(mode="json", exclude={"normalisation"}) | {"groups": self.groups}

    def output_shape(self, image: tuple[int, int, int]) -> tuple[int, int, int]:
        """Channels, rows and columns of the features of an image of that shape."""
        raise NotImplementedError

    def impossible(self, image: tuple[int, int, int]) -> str | None:
        """Why there are no such features of an image of that shape, or None."""
        shape = self.output_shape(image)
        if self.groups is not None and shape[0] % self.groups:
            return f"normalisation.groups = {self.groups}: must divide the {shape[0]} channels"
        if self.damped >= math.prod(shape):
            return f"normalisation.damped = {self.damped}: must be below the {math.prod(shape)} features"
        return None

    def maps(
        self, pixels: Float[np.ndarray, "batch channels height width"], maximum: int
    ) -> Float[Tensor, "batch maps rows columns"]:
        """What the kind of features is, of pixels from 0 to ``maximum``."""
        raise NotImplementedError

    def __call__(self, images: NDArray[Any], *, maximum: int) -> NDArray[np.float32]:
        """Features of stored images, as they are kept on the disk.

        Args:
            images: numbers from 0 to ``maximum``, shape (batch, channels, height, width); grey ones may lack channels.
            maximum: the largest value that a pixel can have, at least 1.

        Raises:
            ValueError: there are no such features of such images.
        """
        pixels = (images[:, None] if images.ndim == 3 else images).astype(np.float32)
        _, channels, height, width = pixels.shape
        if reason := self.impossible((channels, height, width)):
            raise ValueError(reason)
        features = self.maps(pixels, maximum)
        if self.groups is not None:
            features = by_group(features, groups=self.groups)
        if self.unit_norm:
            features = features / math.sqrt(math.prod(features.shape[1:]))
        return np.ascontiguousarray(features.numpy())

    def of_crafted(self, image: Image) -> Float[Tensor, "count channels rows columns"]:
        """Features of images that nobody took (`wassdp.features.crafted`), of the size and the range of ``image``."""
        return torch.from_numpy(self(crafted.blocks(image.shape, maximum=image.maximum), maximum=image.maximum))

    def of_photographs(
        self, image: Image, *, count: int = photographs.REFERENCES
    ) -> Float[Tensor, "count channels rows columns"]:
        """Features of crops of public photographs, of the size and the range of pixels of ``image``."""
        pixels = photographs.crops(image.shape, count=count) * (image.maximum / photographs.MAXIMUM)
        return torch.cat([torch.from_numpy(self(part.numpy(), maximum=image.maximum)) for part in pixels.split(BLOCK)])
