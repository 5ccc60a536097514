"""Sliced quantiles: noisy means of parts of sorted projections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import RATE, Pair, log_ratio, mask, tenths
from wassdp.mechanisms.sliced_quantiles import SlicedQuantiles
from wassdp.noise import Bits

DISTANCE, EACH = 0.5, 4


@dataclass(frozen=True, kw_only=True)
class Quantiles(Pair):
    """Along one direction, a point moves by the whole distance and stays in its part; the others do not move.

    A trial is a part: parts lie so far apart that no point leaves its own.
    """

    attacks = SlicedQuantiles
    attacked = "SlicedQuantiles.sample and SlicedQuantiles.release"
    neighbours = "a point that lies the whole distance above all others of its part, or among them"

    def mechanism(self, *, records: int, batch: int, parts: int) -> SlicedQuantiles:
        """The release of so many parts, of so many of so many points."""
        return SlicedQuantiles(
            noise_multiplier=self.noise, distance=DISTANCE, records=records, batch=batch, parts=parts
        )

    def event(self) -> Composed:
        return self.mechanism(records=round(EACH / RATE), batch=EACH, parts=1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        records, batch = tenths(trials)
        sampler = self.mechanism(records=records, batch=batch, parts=1)
        entered = mask(sampler.sample(generator=generator), trials) & present
        level = 3 * DISTANCE * torch.arange(trials, dtype=torch.float64)
        points = level[:, None].repeat(1, EACH)
        points[:, 0] += torch.where(entered, DISTANCE, 0.0)
        mechanism = self.mechanism(records=round(EACH * trials / RATE), batch=EACH * trials, parts=trials)
        # In an order that sorting has to turn around.
        released = mechanism.release(
            points.flatten().flip(0)[None], torch.ones(1, 1, dtype=torch.float64), generator=generator
        )
        return log_ratio(released.means[0] - level, DISTANCE / EACH, 0.0, std=released.noise_std, rate=RATE)
