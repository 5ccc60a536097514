r"""Release of histograms: of every group of records, how many of their scores lie in each of k equal parts of [0, 1].

Symbols: k bins, z noise multiplier.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.noise import Bits


@dataclass(frozen=True, kw_only=True)
class NoisyHistogram(Mechanism):
    r"""Releases :math:`c + z \sqrt 2 \, \mathcal{N}(0, I)`, c the counts of all groups, exact whole numbers.

    Privacy: relation *replace one inside its class*, classes being the groups. The replaced record leaves one bin of
    its group for another, two counts change by 1 each: sensitivity √2, whatever function gives the scores, so that it
    may be a model that was released before. The noise is exactly rounded (`wassdp.noise.rounded`).
    Source: histograms after Dwork and Roth (2014), section 3.3, with the Gaussian mechanism of their Theorem A.1.

    Args:
        bins: k >= 2.
        noise_multiplier: z >= 0, noise standard deviation over the sensitivity; 0 protects nothing.

    Raises:
        ValueError: an argument is outside its range.
    """

    bins: int
    noise_multiplier: float

    def __post_init__(self) -> None:
        checks.whole("bins", self.bins, least=2)
        checks.non_negative("noise_multiplier", self.noise_multiplier)

    @property
    def sensitivity(self) -> float:
        """√2: L2 distance that replacing one record inside its group moves the counts by, at most."""
        return math.sqrt(2)

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each count, z √2, rounded up."""
        # The last factor covers the root's own rounding.
        return noise.scaled(self.noise_multiplier, self.sensitivity, 1 + 2**-50)

    def release(self, groups: Sequence[Tensor], *, generator: Bits) -> Float[Tensor, "groups bins"]:
        """The noisy counts, of any sign.

        Args:
            groups: of every group's records, the scores, shape (n,). Those outside [0, 1] count in the first or last
                bin, what is no number in the first.
            generator: source of the noise.
        """
        counts = torch.stack([self._counts(scores) for scores in groups])
        return noise.rounded(counts, std=self.noise_std, generator=generator)

    def _counts(self, scores: Float[Tensor, " n"]) -> Float64[Tensor, " bins"]:
        inside = torch.where(scores.isnan(), torch.zeros_like(scores), scores).double().clamp(0, 1)
        places = (inside * self.bins).long().clamp(max=self.bins - 1)
        return torch.bincount(places, minlength=self.bins).double()

    def event(self, steps: int = 1) -> Composed:
        gaussian = Gaussian(noise_multiplier=self.noise_multiplier, adjacency="replace-one-inside-class")
        return repeated(gaussian, steps)

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        once = cls(bins=4, noise_multiplier=noise)
        return (
            Example(
                mechanism=once,
                rows=6,
                width=1,
                shape=(2, 4),
                sensitivity=once.sensitivity,
                noise_std=once.noise_std,
                released=lambda rows, bits: once.release([rows[:3, 0], rows[3:, 0]], generator=bits),
            ),
        )
