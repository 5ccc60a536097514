"""Histograms of a group's scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import Pair, log_ratio
from wassdp.mechanisms.noisy_histogram import NoisyHistogram
from wassdp.noise import Bits


@dataclass(frozen=True, kw_only=True)
class Counts(Pair):
    """A record leaves one bin for the next. A trial is a pair of bins, which has one record of one group."""

    attacks = NoisyHistogram
    attacked = "NoisyHistogram.release"
    neighbours = "a record of a group in one bin, or in the next one"

    def mechanism(self, pairs: int) -> NoisyHistogram:
        """The release of so many pairs of bins."""
        return NoisyHistogram(bins=2 * pairs, noise_multiplier=self.noise)

    def event(self) -> Composed:
        return self.mechanism(1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        mechanism = self.mechanism(trials)
        bins = 2 * torch.arange(trials, dtype=torch.float64) + (0 if present else 1)
        # In the middle of each bin.
        released = mechanism.release([(bins + 0.5) / mechanism.bins], generator=generator).view(trials, 2)
        with_it, without = torch.eye(2, dtype=torch.float64)
        return log_ratio(released, with_it, without, std=mechanism.noise_std)
