"""Sums by class with counts, of vectors with numbers in [0, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import Pair, log_ratio
from wassdp.mechanisms.moments import ClassSums
from wassdp.noise import Bits

SQUARE_WEIGHT = 2.0**-20
"""So small that the squares, which all classes share, have next to no part in the sensitivity."""


@dataclass(frozen=True, kw_only=True)
class Sums(Pair):
    """A vector of one 1 is replaced by another in another class. A trial is a pair of classes, which has one record.

    Sums and counts of a pair of classes are told by its record alone.
    """

    attacks = ClassSums
    attacked = "ClassSums.release, its sums and counts"
    neighbours = "a vector of a single 1, or one with the 1 elsewhere and of another class"
    block = 4096

    def mechanism(self, pairs: int) -> ClassSums:
        """The release of so many pairs of classes, of one record each."""
        return ClassSums(
            noise_multiplier=self.noise,
            classes=2 * pairs,
            dimension=2,
            records=pairs,
            radius=1.0,
            square_weight=SQUARE_WEIGHT,
            count_weight=0.5,
        )

    def event(self) -> Composed:
        return self.mechanism(1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        mechanism = self.mechanism(trials)
        places = torch.full((trials,), 0 if present else 1)
        blocks = [(torch.eye(2, dtype=torch.float64)[places], 2 * torch.arange(trials) + places)]
        found = mechanism.release(blocks, generator=generator)
        numbers = torch.cat([found.sums, mechanism.count_weight * found.counts[:, None]], dim=1).view(trials, 6)
        with_it, without = torch.zeros(6, dtype=torch.float64), torch.zeros(6, dtype=torch.float64)
        with_it[[0, 2]] = without[[4, 5]] = torch.tensor([1.0, mechanism.count_weight], dtype=torch.float64)
        std = self.noise * math.sqrt(2 * (1 + mechanism.count_weight**2))
        return log_ratio(numbers, with_it, without, std=std)
