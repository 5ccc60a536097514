"""Moments of features, released for normalisation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.audit.pair import Pair, log_ratio
from wassdp.features.moments import TINY, ReleasedNormalisation
from wassdp.noise import Bits

CLIP = 0.5
RECORDS = 10_000
"""N, the public divisor: so many that squares of means are small beside mean squares, and variances stay above 0."""


@dataclass(frozen=True, kw_only=True)
class Moments(Pair):
    """One feature; the record fills both clip norms. The other records have it at either sign, in equal numbers.

    Those lift the variance by three deviations of its noise, since a variance below 0 is released as 0: each has all
    features, so long that its squares are clipped. A trial is a feature, which one record in question has.
    """

    attacks = ReleasedNormalisation
    attacked = "ReleasedNormalisation.release, read back from its means and deviations"
    neighbours = "a record that reaches the clip norms of both moments in one feature, or no such record"
    block = 256

    def release(self) -> ReleasedNormalisation:
        """What is released."""
        return ReleasedNormalisation(
            name="feature", noise_multiplier=self.noise, clip_mean=CLIP, clip_square=CLIP**2, floor=0.0
        )

    def event(self) -> PoissonSampled:
        return self.release().event()

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        mechanism = self.release()
        pairs = math.ceil(3 * math.sqrt(2) * self.noise * math.sqrt(trials) / 2)
        others = torch.full((pairs, trials, 1, 1), 10 * CLIP, dtype=torch.float64)
        # A record twice as long is clipped to as much.
        records = 2 * CLIP * present * torch.eye(trials, dtype=torch.float64)[:, :, None, None]
        found = mechanism.release((others, -others, records), records=RECORDS, generator=generator)
        mean, deviation = (each.double().flatten() for each in (found.mean, found.deviation))
        moments = torch.stack((mean / CLIP, (deviation**2 - TINY + mean**2) / CLIP**2), dim=1) * RECORDS
        without = torch.tensor([0.0, 2 * pairs / math.sqrt(trials)], dtype=torch.float64)
        return log_ratio(moments, without + 1, without, std=math.sqrt(2) * self.noise)
