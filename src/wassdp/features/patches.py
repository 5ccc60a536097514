r"""Features of small patches: how much of each of many public patches an image shows, in each of its four quarters.

Symbols: s side of a patch, K filters, c threshold, p power.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from wassdp import checks
from wassdp.features import patch_layout, photographs
from wassdp.features.grouped import by_group
from wassdp.features.patch_layout import PARTS

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


@dataclass(frozen=True, kw_only=True)
class Patches:
    r"""Thresholded responses to whitened patches, averaged over the quarters of an image.

    Every patch x of s x s pixels is normalised (mean zero, variance one) and whitened; filter w answers with
    :math:`\max(0, w^\top x - c)` and :math:`\max(0, -w^\top x - c)`. Averages over each quarter, raised to the power p,
    are the features: channels are the filters' positive answers, then their negative ones. Filters are patches
    of public photographs (`photographs`), which also give the whitening; so an example's features depend on nothing
    but the example.

    Source: Coates, Lee and Ng (2011), An Analysis of Single-Layer Networks in Unsupervised Feature Learning; soft
    thresholds and patches as filters: Coates and Ng (2011), The Importance of Encoding Versus Training. They take
    patches of the training images; the power is that of Perronnin, Sánchez and Mensink (2010).

    Args:
        shape: channels, height and width of an image; sides of at least s + 1.
        maximum: the largest value that a pixel can have.
        filters: K >= 1.
        side: s >= 2.
        threshold: c >= 0.
        power: p in (0, 1].
        groups: groups of `by_group`, or None for none.
        unit_norm: divide by the root of the number of features.

    Raises:
        ValueError: an argument is outside its range, the image too small, or ``groups`` no divisor of the channels.
    """

    shape: tuple[int, int, int]
    maximum: int
    filters: int = 1024
    side: int = 6
    threshold: float = 0.5
    power: float = 0.5
    groups: int | None = None
    unit_norm: bool = False

    def __post_init__(self) -> None:
        checks.whole("maximum", self.maximum, least=1)
        checks.whole("filters", self.filters, least=1)
        checks.whole("side", self.side, least=2)
        checks.non_negative("threshold", self.threshold)
        checks.positive("power", self.power)
        if self.power > 1:
            raise ValueError(f"power = {self.power:g}: must be at most 1")
        if reason := patch_layout.impossible(self.shape, self.side):
            raise ValueError(reason)
        if self.groups is not None and self.output_shape[0] % checks.whole("groups", self.groups, least=1):
            raise ValueError(f"groups = {self.groups}: must divide the {self.output_shape[0]} channels")

    @property
    def output_shape(self) -> tuple[int, int, int]:
        """Channels, rows and columns of one example's features."""
        return patch_layout.output_shape(self.filters)

    @cached_property
    def bank(self) -> tuple[Float[Tensor, "pixels filters"], Float[Tensor, " filters"]]:
        """Whitening and filters in one: responses to normalised patches x are ``x @ weights - offsets``."""
        patches = _normalised(self._candidates())
        mean = patches.mean(dim=0)
        covariance = torch.cov(patches.T.double(), correction=0)
        variances, axes = torch.linalg.eigh(covariance)
        whitening = (axes * (variances + WHITENING).rsqrt()) @ axes.T
        whitened = (patches - mean) @ whitening.float()
        norms = whitened.norm(dim=1)
        chosen = whitened[norms > LEAST * norms.median()][: self.filters]
        weights = whitening.float() @ torch.nn.functional.normalize(chosen, dim=1).T
        return weights, mean @ weights

    def __call__(self, images: NDArray[Any]) -> NDArray[np.float32]:
        """Features of stored images (numbers from 0 to ``maximum``; grey ones without an axis of channels)."""
        pixels = torch.from_numpy(images.astype(np.float32)).view(-1, *self.shape) * (255 / self.maximum)
        found = torch.cat([self._averages(part) for part in pixels.split(IMAGES)]).pow_(self.power)
        if self.groups is not None:
            found = by_group(found, groups=self.groups)
        if self.unit_norm:
            found /= found[0].numel() ** 0.5
        return np.ascontiguousarray(found.numpy())

    def _averages(self, pixels: Tensor) -> Float[Tensor, "images channels rows columns"]:
        weights, offsets = self.bank
        count = len(pixels)
        patches = _normalised(torch.nn.functional.unfold(pixels, self.side).transpose(1, 2))
        places = patches.view(count, *(side - self.side + 1 for side in self.shape[1:]), -1)
        found = torch.empty(count, *self.output_shape)
        for row, band in enumerate(places.tensor_split(PARTS, dim=1)):
            for column, part in enumerate(band.tensor_split(PARTS, dim=2)):
                flat = part.reshape(-1, part.shape[-1])
                for start in range(0, self.filters, FILTERS):
                    some = slice(start, min(start + FILTERS, self.filters))
                    answers = torch.addmm(-offsets[some], flat, weights[:, some])
                    negative = torch.neg(answers).sub_(self.threshold).clamp_(min=0)
                    positive = answers.sub_(self.threshold).clamp_(min=0)
                    for sign, each in enumerate((positive, negative)):
                        channels = slice(sign * self.filters + some.start, sign * self.filters + some.stop)
                        found[:, channels, row, column] = each.view(count, -1, each.shape[1]).mean(dim=1)
        return found

    def _candidates(self) -> Float[Tensor, "patches pixels"]:
        """Patches of the public photographs, in random order."""
        sides = (self.shape[0], self.side, self.side)
        return photographs.crops(sides, count=CANDIDATES * max(self.filters, 512)).flatten(1)


def _normalised(patches: Float[Tensor, "*rest pixels"]) -> Float[Tensor, "*rest pixels"]:
    """Each patch at mean zero and variance one (nearly: see `CONTRAST`)."""
    centred = patches - patches.mean(dim=-1, keepdim=True)
    return centred * (centred.square().sum(dim=-1, keepdim=True) / (patches.shape[-1] - 1) + CONTRAST).rsqrt()
