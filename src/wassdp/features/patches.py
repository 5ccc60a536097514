r"""Features of small patches: how much of each of many public patches an image shows, in each of its four quarters.

Symbols: s side of a patch, K filters, c threshold, p power.
"""

from __future__ import annotations

import functools
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor

from wassdp.features import photographs
from wassdp.features.fixed import FixedFeatures

PARTS = 2
"""Rows and columns of the parts of an image over which responses are averaged."""
CONTRAST = 10.0
"""Added to the variance of a patch of values from 0 to 255, so that flat patches stay flat."""
WHITENING = 0.1
"""Added to the variances of normalised patches before their correlations are removed."""
CANDIDATES = 16
"""Patches that are looked at for each filter."""
LEAST = 0.3
"""Patches whose whitened norm is below this share of the median are no filters."""
IMAGES, FILTERS = 4, 256
"""Images and filters handled together, so that their responses stay in a processor's cache."""


class Patches(FixedFeatures):
    r"""Thresholded responses to whitened patches, averaged over the quarters of an image.

    Every patch x of s x s pixels is normalised (mean zero, variance one) and whitened; filter w answers with
    :math:`\max(0, w^\top x - c)` and :math:`\max(0, -w^\top x - c)`. Averages over each quarter, raised to the power p,
    are the features: channels are the filters' positive answers, then their negative ones. Filters are patches
    of public photographs (`photographs`), which also give the whitening; so an example's features depend on nothing
    but the example.

    Source: Coates, Lee and Ng (2011), An Analysis of Single-Layer Networks in Unsupervised Feature Learning; soft
    thresholds and patches as filters: Coates and Ng (2011), The Importance of Encoding Versus Training. They take
    patches of the training images; the power is that of Perronnin, Sánchez and Mensink (2010).
    """

    name: Literal["patches"]
    filters: int = Field(default=1024, ge=1, le=65_536, description="patches that serve as filters")
    side: int = Field(default=6, ge=2, le=32, description="pixels of a patch's side")
    threshold: float = Field(default=0.5, ge=0, description="what an answer must pass, in standard deviations")
    power: float = Field(default=0.5, gt=0, le=1, description="of the averaged answers")

    def output_shape(self, image: tuple[int, int, int]) -> tuple[int, int, int]:
        return 2 * self.filters, PARTS, PARTS

    def impossible(self, image: tuple[int, int, int]) -> str | None:
        if len(image) != 3 or image[0] not in (1, 3):
            return f"shape {image!r} is not that of an image with 1 or 3 channels, as the photographs have"
        least = self.side + PARTS - 1
        if min(image[1:]) < least:
            extent = f"{image[1]} x {image[2]}"
            return f"side = {self.side}: needs images of at least {least} pixels a side, these have {extent}"
        return super().impossible(image)

    def maps(
        self, pixels: Float[np.ndarray, "batch channels height width"], maximum: int
    ) -> Float[Tensor, "batch maps rows columns"]:
        scaled = torch.from_numpy(pixels) * (255 / maximum)
        return torch.cat([self._averages(part) for part in scaled.split(IMAGES)]).pow_(self.power)

    def _averages(
        self, pixels: Float[Tensor, "images channels height width"]
    ) -> Float[Tensor, "images maps rows columns"]:
        count, channels, height, width = pixels.shape
        weights, offsets = bank(channels, self.side, self.filters)
        patches = _normalised(torch.nn.functional.unfold(pixels, self.side).transpose(1, 2))
        places = patches.view(count, height - self.side + 1, width - self.side + 1, -1)
        averages = torch.empty(count, *self.output_shape((channels, height, width)))
        for row, band in enumerate(places.tensor_split(PARTS, dim=1)):
            for column, part in enumerate(band.tensor_split(PARTS, dim=2)):
                flat = part.reshape(-1, part.shape[-1])
                for start in range(0, self.filters, FILTERS):
                    some = slice(start, min(start + FILTERS, self.filters))
                    answers = torch.addmm(-offsets[some], flat, weights[:, some])
                    negative = torch.neg(answers).sub_(self.threshold).clamp_(min=0)
                    positive = answers.sub_(self.threshold).clamp_(min=0)
                    for sign, half in enumerate((positive, negative)):
                        maps = slice(sign * self.filters + some.start, sign * self.filters + some.stop)
                        averages[:, maps, row, column] = half.view(count, -1, half.shape[1]).mean(dim=1)
        return averages


@functools.lru_cache
def bank(channels: int, side: int, filters: int) -> tuple[Float[Tensor, "pixels filters"], Float[Tensor, " filters"]]:
    """Whitening and filters in one: responses to normalised patches x are ``x @ weights - offsets``."""
    patches = _normalised(candidates(channels, side, filters))
    mean = patches.mean(dim=0)
    covariance = torch.cov(patches.T.double(), correction=0)
    variances, axes = torch.linalg.eigh(covariance)
    whitening = (axes * (variances + WHITENING).rsqrt()) @ axes.T
    whitened = (patches - mean) @ whitening.float()
    norms = whitened.norm(dim=1)
    chosen = whitened[norms > LEAST * norms.median()][:filters]
    weights = whitening.float() @ torch.nn.functional.normalize(chosen, dim=1).T
    return weights, mean @ weights


def candidates(channels: int, side: int, filters: int) -> Float[Tensor, "patches pixels"]:
    """Patches of the public photographs, in random order."""
    return photographs.crops((channels, side, side), count=CANDIDATES * max(filters, 512)).flatten(1)


def _normalised(patches: Float[Tensor, "*rest pixels"]) -> Float[Tensor, "*rest pixels"]:
    """Each patch at mean zero and variance one (nearly: see `CONTRAST`)."""
    centred = patches - patches.mean(dim=-1, keepdim=True)
    return centred * (centred.square().sum(dim=-1, keepdim=True) / (patches.shape[-1] - 1) + CONTRAST).rsqrt()
