"""Gram matrices by class."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import Pair, log_ratio
from wassdp.mechanisms.moments import ClassGrams
from wassdp.noise import Bits

ANGLE = math.pi / 8
"""Of the vector with the first axis: the matrices then differ as much on the diagonal as off it."""


@dataclass(frozen=True, kw_only=True)
class Grams(Pair):
    """A vector is replaced by an orthogonal one, both as long as the clip norm. A trial is a class of one record."""

    attacks = ClassGrams
    attacked = "ClassGrams.release"
    neighbours = "a vector beyond the clip norm, or an orthogonal one of its class"
    block = 4096

    def mechanism(self, classes: int, *, noise: float | None = None) -> ClassGrams:
        """The release of so many classes of one record each."""
        return ClassGrams(
            noise_multiplier=self.noise if noise is None else noise,
            classes=classes,
            dimension=2,
            records=classes,
            radius=1.0,
        )

    def event(self) -> Composed:
        return self.mechanism(1).event(1)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        along = 2 * torch.tensor([math.cos(ANGLE), math.sin(ANGLE)], dtype=torch.float64)
        across = along.flip(0) * torch.tensor([-1.0, 1.0])
        record = along if present else across
        released = self.mechanism(trials).release(
            [(record.expand(trials, -1), torch.arange(trials))], generator=generator
        )
        exact = [
            _numbers(self.mechanism(1, noise=0.0).exact([(each[None], torch.zeros(1, dtype=torch.int64))]))[0]
            for each in (along, across)
        ]
        return log_ratio(_numbers(released), *exact, std=math.sqrt(2) * self.noise)


def _numbers(matrices: Float[Tensor, "count 2 2"]) -> Float[Tensor, "count 3"]:
    """The isometric numbers of symmetric matrices."""
    return torch.stack([matrices[:, 0, 0], math.sqrt(2) * matrices[:, 0, 1], matrices[:, 1, 1]], dim=1)
