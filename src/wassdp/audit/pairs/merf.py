"""DP-MERF's mean of random features."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp import noise
from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import Pair, log_ratio
from wassdp.mechanisms.merf import MERF, FourierFeatures
from wassdp.noise import Bits

DIMENSION, FEATURES = 2, 4


@dataclass(frozen=True, kw_only=True)
class Embedding(Pair):
    """A vector is replaced by one at which every wave has the opposite sign; as many frequencies as dimensions.

    A trial is a class, which holds one record.
    """

    attacks = MERF
    attacked = "MERF.release"
    neighbours = "a record, or one of its class whose features are the opposite"
    block = 512

    def mechanism(self, classes: int) -> MERF:
        """The release of so many classes of one record each."""
        return MERF(noise_multiplier=self.noise, features=_features(), classes=classes, records=classes)

    def event(self) -> Composed:
        return self.mechanism(1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        mechanism = self.mechanism(trials)
        without = torch.zeros(1, DIMENSION, dtype=torch.float64)
        half_waves = torch.full((DIMENSION,), math.pi, dtype=torch.float64)
        with_it = torch.linalg.solve(mechanism.features.frequencies.T, half_waves)[None]
        released = mechanism.release(
            (with_it if present else without).expand(trials, -1), torch.arange(trials), generator=generator
        )
        means = [mechanism.features(each)[0] / trials for each in (with_it, without)]
        std = noise.scaled(self.noise, mechanism.sensitivity)
        return log_ratio(released.embedding.T, means[0], means[1], std=std)


@functools.cache
def _features() -> FourierFeatures:
    drawn = FourierFeatures.draw(
        dimension=DIMENSION, count=FEATURES, bandwidth=1.0, generator=noise.seeded(0, "frequencies")
    )
    return FourierFeatures(drawn.frequencies.double())
