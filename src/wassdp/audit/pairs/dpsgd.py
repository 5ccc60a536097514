"""DP-SGD's step: a Poisson sample, clipped gradients, noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import RATE, Pair, log_ratio, mask
from wassdp.mechanisms.dpsgd import DPSGD, clipped_sum
from wassdp.noise import Bits

CLIP_NORM = 0.5
LONG = torch.tensor([[100.0]], dtype=torch.float64)
"""A gradient of one weight, to be clipped."""


@dataclass(frozen=True, kw_only=True)
class GradientStep(Pair):
    """One weight; the other records' gradients are 0, and the record's is longer than the clip norm.

    A trial is a coordinate: each is the weight of a model of its own, whose data set may hold the record.
    """

    rate: ClassVar[float] = RATE
    attacks = DPSGD
    attacked = "DPSGD.sample, clipped_sum and DPSGD.release"
    neighbours = "a record whose gradient is clipped to C along one weight, or no record; the other gradients are 0"

    def mechanism(self, records: int) -> DPSGD:
        """The step on so many records."""
        return DPSGD(clip_norm=CLIP_NORM, noise_multiplier=self.noise, rate=self.rate, records=records)

    def event(self) -> Composed:
        return self.mechanism(1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        mechanism = self.mechanism(trials)
        entered = mask(mechanism.sample(generator=generator), trials) & present
        alone, none = (clipped_sum(rows, clip_norm=CLIP_NORM) for rows in (LONG, LONG[:0]))
        released = mechanism.release(torch.where(entered, alone, none), generator=generator)
        # The public divisor is taken back.
        return log_ratio(
            released * mechanism.expected_batch, float(alone), float(none), std=mechanism.noise_std, rate=self.rate
        )
