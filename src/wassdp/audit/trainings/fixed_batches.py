"""Many small trainings at once whose batches have one size, drawn without replacement; each is a block of one model.

As `wassdp.audit.trainings.batched`, by the release of a noisy mean. A neighbour replaces the record: its gradient turns
around, and all other records have the gradient that it has where it is absent, which is the worst that they can do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from wassdp import checks
from wassdp.accounting.events.composed import Composed
from wassdp.adaptation.per_tensor import PerTensorEngine
from wassdp.audit.game import Game, in_blocks
from wassdp.audit.pair import log_ratio
from wassdp.audit.quiet import train
from wassdp.audit.trainings.batched import CLIP_NORM, FEATURES, SGD, Blocks, Repeated, loss
from wassdp.mechanisms.noisy_mean import NoisyMean
from wassdp.mechanisms.published_sliced import PublishedDPSWD
from wassdp.noise import Bits
from wassdp.training.gradients import Step, trainable
from wassdp.training.optimisers import Optimiser

BLOCK = 20_000
"""Trainings that are worked off together."""


@dataclass(frozen=True, kw_only=True)
class FixedBatchTrainings(Game):
    """Trainings by noisy means of clipped gradients; a trial is a training.

    Args:
        sigma: σ > 0, noise on each record's gradient, in the gradient's unit; C is `CLIP_NORM`.
        records: of each training.
        batch: of them in a step.
        steps: of each training.
        optimiser: what follows the gradients.

    Raises:
        ValueError: an argument is outside its range.
    """

    sigma: float
    records: int = 8
    batch: int = 2
    steps: int = 1
    optimiser: Optimiser = SGD

    neighbours = "a record whose gradient is clipped to C in one weight, or its opposite, which all other records have"

    def __post_init__(self) -> None:
        checks.positive("sigma", self.sigma)
        checks.whole("steps", self.steps, least=1)
        self.mechanism()

    def mechanism(self) -> NoisyMean:
        """A step of one training."""
        return NoisyMean(sigma=self.sigma, clip_norm=CLIP_NORM, tensors=1, records=self.records, batch=self.batch)

    def event(self) -> Composed:
        return self.mechanism().event(self.steps)

    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        return in_blocks(
            trials, BLOCK, lambda some: self._at_once(present=present, trainings=some, generator=generator)
        )

    def _at_once(self, *, present: bool, trainings: int, generator: Bits) -> Float64[np.ndarray, " trainings"]:
        model = Blocks(trainings)
        # The last column tells which way a record's gradient points; the last record is the one in question.
        rows = torch.zeros(self.records, FEATURES + 1)
        rows[:, -1] = -1
        rows[-1, -1] = 1 if present else -1
        watched = _Watched(self, model)
        train(
            model=model,
            optimiser=self.optimiser.build(trainable(model)),
            source=watched,
            records=Repeated(rows, torch.zeros(self.records, dtype=torch.int64)),
            steps=self.steps,
            generator=generator,
        )
        return watched.seen


class _Watched:
    """The source of gradients of all trainings at once."""

    def __init__(self, game: FixedBatchTrainings, model: Blocks) -> None:
        self.game, self.mechanism, self.engine = game, game.mechanism(), PerTensorEngine(model)
        self.trainings = model.weights.num_embeddings
        self.seen = np.zeros(self.trainings)

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        drawn = batches(self.mechanism, self.trainings, generator)
        return (drawn + self.game.records * torch.arange(self.trainings)[:, None]).flatten()

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits) -> Step:
        clipped = self.engine.clipped_gradient_sum(loss, (inputs, targets), self.mechanism.clip_norm)
        gradient = self.mechanism.release(clipped.total, generator=generator)
        # Of each training, the batch's sum in the one weight: nC down, or two C less where the record entered.
        size, rate = self.game.batch, self.game.batch / self.game.records
        sums = gradient.view(self.trainings, -1)[:, -1:].double() * size
        self.seen += log_ratio(
            sums, (2 - size) * CLIP_NORM, -size * CLIP_NORM, std=self.game.sigma * math.sqrt(size), rate=rate
        )
        return Step(gradient=gradient, loss=clipped.loss)


def batches(mechanism: NoisyMean | PublishedDPSWD, trainings: int, generator: Bits) -> Int64[Tensor, "trainings batch"]:
    """One batch of each training, drawn by the mechanism itself."""
    return torch.stack([mechanism.sample(generator=generator) for _ in range(trainings)])
