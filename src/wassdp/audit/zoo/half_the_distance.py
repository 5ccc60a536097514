"""Noise for a record that is added, where one is replaced: neighbours are twice as far apart."""

from __future__ import annotations

import dataclasses

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.audit.specimen import Specimen
from wassdp.mechanisms.noisy_mean import NoisyMean
from wassdp.noise import Bits

STEPS = 4
Released = Float[Tensor, "trials steps"]


class HalfTheDistance(Specimen):
    """Fixed batches drawn without replacement, whose size must not change, so that a neighbour replaces a record."""

    fault = "noise is scaled to C, as if a record were added; replacing one moves the sum by 2C"
    source = "Google differential-privacy issue 378: sensitivity off by a factor of 2 under replace-one"
    neighbours = "one record's gradient is C, or it is replaced by one of -C; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = NoisyMean(sigma=2.0, clip_norm=1.0, tensors=1, records=8, batch=4)

    def event(self) -> Event:
        return self.mechanism.event(STEPS)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        mechanism = self.mechanism
        # Of a batch drawn without replacement, one record's membership has probability batch / records.
        places = noise.integers(mechanism.records, trials * STEPS, generator=generator)
        sums = torch.from_numpy(places < mechanism.batch).double() * (1.0 if present else -1.0)
        if self.wrong:
            mechanism = dataclasses.replace(mechanism, sigma=mechanism.sigma / 2)
        return mechanism.release(sums, generator=generator).view(trials, STEPS)

    def likelihood_ratio(self, released: Released) -> Float[Tensor, " trials"]:
        """Of the law that is claimed, a mixture in either world."""
        sums = released * self.mechanism.batch
        variance = self.mechanism.sigma**2 * self.mechanism.batch
        rest = self.mechanism.records / self.mechanism.batch - 1
        here, there = (rest + torch.exp((sign * sums - 0.5) / variance) for sign in (1, -1))
        return (here.log() - there.log()).sum(dim=1)
