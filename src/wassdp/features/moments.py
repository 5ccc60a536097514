r"""Normalisation by channel or by feature, with moments that are released once, privately.

Symbols: N records, z noise multiplier, A and B clip norms of the first and second moments, f floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Float64
from pydantic import Field
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.features.damping import Damped
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.exact_sums import SHRINK, bits, toward_zero
from wassdp.noise import Bits
from wassdp.ranges import Noise
from wassdp.sections import Section

TINY = 1e-12
"""Least variance, so that a feature that never varies is not divided by zero."""


class ReleasedNormalisation(Section):
    r"""By channel or by feature, with moments released once by the Gaussian mechanism: a part of the run's budget.

    Each record i gives two vectors: a_i, its features, and b_i, their squares; both averaged over the places of each
    channel if moments are wanted by channel. They are clipped to norms A and B, added up exactly
    (`wassdp.mechanisms.exact_sums`), and the averages over the N records released with noise:

    .. math:: \frac{1}{N} \Bigl( \sum_i \min(1, A / \lVert a_i \rVert) \, a_i + \sqrt 2 z A \, \mathcal{N}(0, I)
        \Bigr)

    and likewise with b and B. Together they are one Gaussian mechanism with noise multiplier z: a record moves
    :math:`(a / A, b / B)` by at most :math:`\sqrt 2`.

    Source: Tramèr and Boneh (2021), arXiv:2011.11660, Appendix B, "data normalization", by channel.
    """

    name: Literal["channel", "feature"] = Field(description="what has moments of its own")
    groups: int | None = Field(default=None, ge=1, description="group normalisation before; null for none")
    noise_multiplier: Noise = Field(description="of the one release")
    clip_mean: ClipNorm = Field(description="L2 bound on what an example adds to the means")
    clip_square: ClipNorm = Field(description="L2 bound on what an example adds to the mean squares")
    floor: float = Field(default=0.1, ge=0, description="share of the mean variance that is added to each variance")
    damped: Damped = Field(default=0, exclude_if=lambda count: count == 0)

    def event(self, *, share: float = 1.0) -> PoissonSampled:
        """What the release is: a Gaussian mechanism on all records (each enters with probability one).

        Args:
            share: above 0, of the sensitivity; below 1 the release as it is for records that move it no further.
        """
        noise_multiplier = self.noise_multiplier / checks.positive("share", share)
        return PoissonSampled(event=Gaussian(noise_multiplier=noise_multiplier, adjacency="add-remove"), rate=1.0)

    def reached(self, features: Float[Tensor, "batch channels rows columns"]) -> float:
        r"""How far the furthest of these examples moves the two vectors, over :math:`\sqrt 2`; at most 1.

        .. math:: \sqrt{(\min\{1, \lVert a \rVert / A\}^2 + \min\{1, \lVert b \rVert / B\}^2) / 2}

        rounded down by more than clipping and adding up take from it.
        """
        features = features.double()
        parts = []
        for values, clip_norm in ((features, self.clip_mean), (features.square(), self.clip_square)):
            lengths = torch.linalg.vector_norm(self._seen(values).flatten(1), dim=1)
            parts.append((lengths / clip_norm).clamp(max=1))
        return float(((parts[0].square() + parts[1].square()) / 2).sqrt().max()) * (1 - 2**-20)

    def release(self, blocks: Iterable[Tensor], *, records: int, generator: Bits) -> Standardisation:
        """The noisy moments of all records, as what they are used for; one that is not finite counts as zero.

        Args:
            blocks: the features of every record once, in blocks of shape (batch, channels, rows, columns).
            records: N >= 1, treated as public.
            generator: source of the noise.

        Raises:
            ValueError: there is no block, or no record.
        """
        checks.whole("records", records, least=1)
        means: list[Tensor] = []
        squares: list[Tensor] = []
        for block in blocks:
            means.append(self._clipped_sum(block, self.clip_mean, records))
            squares.append(self._clipped_sum(block.square(), self.clip_square, records))
        if not means:
            raise ValueError("blocks: must hold at least one")
        mean = self._noisy(torch.stack(means).sum(dim=0), self.clip_mean, generator) / records
        square = self._noisy(torch.stack(squares).sum(dim=0), self.clip_square, generator) / records
        return Standardisation.of(mean, square, floor=self.floor)

    def _seen(
        self, values: Float[Tensor, "batch channels rows columns"]
    ) -> Float[Tensor, "batch channels down across"]:
        """What moments are taken of: the features themselves, or their averages over the places of each channel."""
        return values.mean(dim=(2, 3), keepdim=True) if self.name == "channel" else values

    def _clipped_sum(
        self, values: Float[Tensor, "batch channels rows columns"], clip_norm: float, records: int
    ) -> Float64[Tensor, "channels down across"]:
        values = self._seen(values)
        clipped = in_ball(values.flatten(1).double(), norm=clip_norm * SHRINK)
        return toward_zero(clipped, bits(records, clip_norm)).sum(dim=0).view(values.shape[1:])

    def _noisy(self, total: Tensor, clip_norm: float, generator: Bits) -> Tensor:
        std = noise.scaled(math.sqrt(2) * (1 + 2**-50), self.noise_multiplier, clip_norm)
        return noise.rounded(total, std=std, generator=generator)


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
