r"""Normalisation by channel or by feature, with moments that are released once, privately.

Symbols: N records, z noise multiplier, A and B clip norms of the first and second moments, f floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.mechanisms.dpsgd import cleared, clip_factors
from wassdp.noise import Bits

TINY = 1e-12
"""Least variance, so that a feature that never varies is not divided by zero."""

Each = Literal["channel", "feature"]


@dataclass(frozen=True, kw_only=True)
class Moments:
    r"""One private release of first and second moments over the training records.

    Each record i gives two vectors: a_i, its features, and b_i, their squares; both averaged over the places of each
    channel if moments are wanted by channel. They are clipped to norms A and B, averaged over the N records, and
    released with noise:

    .. math:: \frac{1}{N} \Bigl( \sum_i \min(1, A / \lVert a_i \rVert) \, a_i + \sqrt 2 z A \, \mathcal{N}(0, I)
        \Bigr)

    and likewise with b and B. Together they are one Gaussian mechanism with noise multiplier z: a record moves
    :math:`(a / A, b / B)` by at most :math:`\sqrt 2`.

    Source: Tramèr and Boneh (2021), arXiv:2011.11660, Appendix B, "data normalization", by channel.

    Args:
        each: what has a moment of its own: a channel or a feature.
        noise_multiplier: z >= 0.
        clip_mean: A > 0.
        clip_square: B > 0.
        floor: f >= 0; this share of the mean variance is added to each variance.
        records: N >= 1, treated as public.

    Raises:
        ValueError: an argument is outside its range.
    """

    each: Each
    noise_multiplier: float
    clip_mean: float
    clip_square: float
    floor: float
    records: int

    def __post_init__(self) -> None:
        checks.one_of("each", self.each, get_args(Each))
        checks.non_negative("noise_multiplier", self.noise_multiplier)
        checks.positive("clip_mean", self.clip_mean)
        checks.positive("clip_square", self.clip_square)
        checks.non_negative("floor", self.floor)
        checks.whole("records", self.records, least=1)

    def event(self) -> PoissonSampled:
        """What the release is: a Gaussian mechanism on all records (each enters with probability one)."""
        return PoissonSampled(event=Gaussian(noise_multiplier=self.noise_multiplier, adjacency="add-remove"), rate=1.0)

    def release(self, blocks: Iterable[Tensor], *, generator: Bits) -> Standardisation:
        """The noisy moments of all records, as what they are used for; one that is not finite counts as zero.

        Args:
            blocks: the features of every record once, in blocks of shape (batch, channels, rows, columns).
            generator: source of the noise.

        Raises:
            ValueError: there is no block.
        """
        means: list[Tensor] = []
        squares: list[Tensor] = []
        for block in blocks:
            means.append(self._clipped_sum(block, self.clip_mean))
            squares.append(self._clipped_sum(block.square(), self.clip_square))
        if not means:
            raise ValueError("blocks: must hold at least one")
        mean = self._noisy_mean(torch.stack(means).sum(dim=0), self.clip_mean, generator)
        square = self._noisy_mean(torch.stack(squares).sum(dim=0), self.clip_square, generator)
        return Standardisation.of(mean, square, floor=self.floor)

    def _clipped_sum(self, values: Float[Tensor, "batch channels rows columns"], clip_norm: float) -> Tensor:
        if self.each == "channel":
            values = values.mean(dim=(2, 3), keepdim=True)
        factors = clip_factors(values.flatten(1).norm(dim=1), clip_norm=clip_norm)
        return torch.einsum("i,i...->...", factors, cleared(values, factors)).double()

    def _noisy_mean(self, total: Tensor, clip_norm: float, generator: Bits) -> Tensor:
        std = noise.scaled(math.sqrt(2) * (1 + 2**-50), self.noise_multiplier, clip_norm)
        return noise.rounded(total, std=std, generator=generator) / self.records


@dataclass(frozen=True)
class Standardisation:
    """Released moments in use: subtract ``mean``, divide by ``deviation``; both fit one example's features."""

    mean: Float[Tensor, "channels places_down places_across"]
    deviation: Float[Tensor, "channels places_down places_across"]

    @staticmethod
    def of(mean: Tensor, square: Tensor, *, floor: float) -> Standardisation:
        """From first and second moments; ``floor`` times the mean variance is added to each variance."""
        # Noise can make a variance negative.
        variance = (square - mean.square()).clamp(min=0)
        variance = variance + (floor * variance.mean()).clamp(min=TINY)
        return Standardisation(mean=mean.float(), deviation=variance.sqrt().float())

    def __call__(
        self, features: Float[Tensor, "batch channels rows columns"]
    ) -> Float[Tensor, "batch channels rows columns"]:
        """The features, standardised."""
        return (features - self.mean) / self.deviation
