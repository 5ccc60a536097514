"""Noisy gradients of a Wasserstein loss."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.commands import BATCHES, NOISE, REPLACE, Command, multiplier
from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.guarantee import REPLACING, Adjacency


@dataclass(frozen=True, kw_only=True)
class WassersteinGradientStep(Event):
    """One noisy gradient of a Wasserstein loss.

    Args:
        noise_std: standard deviation of the noise.
        sensitivity: L2 sensitivity of the gradient under ``adjacency``, above 0, by the smallest bound that is proven
            (`wassdp.mechanisms.clipped_wasserstein`, `wassdp.mechanisms.wasserstein_output_gradient`).
        adjacency: replace one, or replace one inside a class of fixed size.
        published_sensitivity: the same as the paper bounds it (WG Theorems 4.1, A.1 and 6.1), at least
            ``sensitivity``; None where no other bound is to be told apart from it.
    """

    noise_std: float
    sensitivity: float
    adjacency: Adjacency = "replace-one"
    published_sensitivity: float | None = None
    commands = (
        Command(
            name="wasserstein-gradient",
            about="gradients of a Wasserstein loss of a batch, plus Gaussian noise",
            shared=(*NOISE, *BATCHES),
            sampling="without-replacement",
            adjacency=REPLACE,
        ),
    )

    def __post_init__(self) -> None:
        checks.non_negative("noise_std", self.noise_std)
        checks.positive("sensitivity", self.sensitivity)
        if self.published_sensitivity is not None and not self.published_sensitivity >= self.sensitivity:
            raise ValueError(
                f"published_sensitivity = {self.published_sensitivity!r}: must be at least the proven sensitivity, "
                f"{self.sensitivity!r}"
            )
        checks.one_of("adjacency", self.adjacency, REPLACING)
        limits.noise("noise_std / sensitivity", self.noise_std / self.sensitivity)

    @classmethod
    def typed(cls, options: Mapping[str, Any], adjacency: Adjacency) -> WassersteinGradientStep:
        return cls(noise_std=multiplier(options), sensitivity=1.0, adjacency=adjacency)

    def reduced(self) -> Gaussian:
        return Gaussian(noise_multiplier=self.noise_std / self.sensitivity, adjacency=self.adjacency)

    def under_published(self) -> WassersteinGradientStep | None:
        if self.published_sensitivity is None:
            return None
        return dataclasses.replace(self, sensitivity=self.published_sensitivity, published_sensitivity=None)
