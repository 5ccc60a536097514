"""The step of the code published with *Wasserstein Differential Privacy*, and what is proved of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.event import Event
from wassdp.audit.pair import Pair, log_ratio
from wassdp.mechanisms.published_step import PublishedStep
from wassdp.noise import Bits


@dataclass(frozen=True, kw_only=True)
class ClippedMeanStep(Pair):
    """The step that the record enters: its gradient turns the clipped mean around. Every coordinate is kept.

    The other gradients of the batch are 0, and the record's is longer than the batch times C. A trial is a coordinate:
    a mean of n coordinates of C each is released with a clip norm of C √n, at which it is not clipped, and noise σ C on
    every coordinate.
    """

    attacks = PublishedStep
    attacked = "PublishedStep.release, in the step that the record enters"
    neighbours = "a record whose gradient outweighs those of its batch, or the opposite gradient"

    def mechanism(self, coordinates: int) -> PublishedStep:
        """The step on so many coordinates, with C = 1."""
        root = float(np.sqrt(coordinates))
        return PublishedStep(clip_norm=root, noise_multiplier=self.noise / root, keep=1.0)

    def event(self) -> Event:
        return self.mechanism(1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        mean = torch.full((trials,), 1.0 if present else -1.0, dtype=torch.float64)
        released = self.mechanism(trials).release(mean, generator=generator)
        return log_ratio(released, 1.0, -1.0, std=self.noise)
