"""The gradient of a sliced Wasserstein distance in public points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import RATE, Pair, log_ratio, mask, tenths
from wassdp.mechanisms.wasserstein_output_gradient import WassersteinOutputGradient
from wassdp.noise import Bits

NORM, DIMENSION = 0.5, 2


@dataclass(frozen=True, kw_only=True)
class OutputGradient(Pair):
    """Points on a line through 0, on an orthonormal basis; a point moves from one end of the ball to the other.

    A trial is a public point: those stand in a row along the line, so that each is matched to one private point along
    every direction, and its gradient moves by the whole sensitivity with that point. Private points are sorted, so that
    the public points of the first ones are the trials that the record does not enter.
    """

    attacks = WassersteinOutputGradient
    attacked = "WassersteinOutputGradient.sample and WassersteinOutputGradient.release"
    neighbours = "a point clipped to the norm, or its opposite, which all other points are"
    block = 1 << 16

    def mechanism(self, *, records: int, batch: int) -> WassersteinOutputGradient:
        """The release for so many of so many points."""
        return WassersteinOutputGradient(
            noise_multiplier=self.noise,
            output_norm=NORM,
            records=records,
            batch=batch,
            dimension=DIMENSION,
            projections=DIMENSION,
        )

    def event(self) -> Composed:
        return self.mechanism(records=round(1 / RATE), batch=1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        records, batch = tenths(trials)
        entered = mask(self.mechanism(records=records, batch=batch).sample(generator=generator), trials) & present
        line = torch.tensor([0.6, 0.8], dtype=torch.float64)
        places = torch.arange(trials, dtype=torch.float64) - trials / 2
        private = torch.where(entered, 10 * NORM, -10 * NORM)[:, None] * line
        mechanism = self.mechanism(records=round(trials / RATE), batch=trials)
        released = mechanism.release(private, places[:, None] * line, generator=generator)
        # In public points v and private u, each matched to one, the gradient is 2/(m d) (v - u).
        scale = 2 / (trials * DIMENSION)
        along = scale * places - released.gradient @ line
        ratios = log_ratio(along, scale * NORM, -scale * NORM, std=released.noise_std, rate=RATE)
        found = np.empty(trials)
        outside = int((~entered).sum())
        found[(~entered).numpy()], found[entered.numpy()] = ratios[:outside], ratios[outside:]
        return found
