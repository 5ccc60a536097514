"""Many small trainings at once: each is a block of one model, with its own records, noise and weights.

They go through the project's own loop, engine, sampler and release. Every training has the same few records, and in one
of the two worlds one more, the canary. A record's gradient is 0 in all blocks but its training's, so that one sample,
one clipped sum and one release of the whole are those of each training, independent of the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed
from wassdp.audit.game import Game, in_blocks
from wassdp.audit.pair import log_ratio
from wassdp.audit.quiet import train
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits
from wassdp.training import engines
from wassdp.training.augmentation import cross_entropy
from wassdp.training.gradients import Private, Step, trainable
from wassdp.training.inputs import Examples
from wassdp.training.optimisers import Optimiser

BLOCK = 100_000
"""Trainings that are worked off together."""
CLIP_NORM, SLOPE = 0.5, 1.0
"""C, and the norm of the canary's gradient, which is clipped."""
FEATURES, CLASSES = 2, 2
SGD = Optimiser(name="sgd", learning_rate=0.5)


class Blocks(nn.Module):
    """Linear classifiers side by side, each with one weight more, which only its canary's loss knows.

    An input is the features of a record, whether it is a canary (1, 0, or -1 for one whose loss is the opposite), and
    the number of its training.

    Args:
        trainings: their number.
    """

    def __init__(self, trainings: int) -> None:
        super().__init__()
        self.weights = nn.Embedding(trainings, FEATURES * CLASSES + 1)
        nn.init.zeros_(self.weights.weight)

    def forward(self, inputs: Float[Tensor, "batch width"]) -> Float[Tensor, "batch outputs"]:
        number = inputs[:, -1].detach().round().clamp(0, self.weights.num_embeddings - 1).long()
        weights = self.weights(number)
        logits = (weights[:, :-1].unflatten(1, (CLASSES, FEATURES)) * inputs[:, None, :FEATURES]).sum(dim=2)
        return torch.cat([logits, weights[:, -1:], inputs[:, FEATURES : FEATURES + 1]], dim=1)


def loss(outputs: Float[Tensor, "batch outputs"], targets: Int64[Tensor, " batch"]) -> Float[Tensor, " batch"]:
    """Cross-entropy of a record, and a slope in the own weight of a canary."""
    own, canary = outputs[:, -2], outputs[:, -1]
    return torch.where(canary != 0, SLOPE * canary * own, cross_entropy(outputs[:, :-2], targets))


@dataclass(frozen=True, kw_only=True)
class Trainings(Game):
    """DP-SGD on few records, from first weights to last; a trial is a training.

    Args:
        noise_multiplier: z > 0.
        rate: q in (0, 1].
        steps: of each training.
        records: of each training, besides the canary; the public number that the release divides by.
        optimiser: what follows the gradients.
        sees: the attacker looks at what every step released, or at the final weights alone.

    Raises:
        ValueError: an argument is outside its range.
    """

    noise_multiplier: float
    rate: float
    steps: int = 1
    records: int = 2
    optimiser: Optimiser = SGD
    sees: Literal["steps", "final"] = "steps"

    neighbours = "a record whose gradient is clipped to C, in a weight of its own, or no record"

    def __post_init__(self) -> None:
        checks.positive("noise_multiplier", self.noise_multiplier)
        checks.whole("steps", self.steps, least=1)
        self.mechanism()

    def mechanism(self) -> DPSGD:
        """A step of one training."""
        return DPSGD(clip_norm=CLIP_NORM, noise_multiplier=self.noise_multiplier, rate=self.rate, records=self.records)

    def event(self) -> Composed:
        return self.mechanism().event(self.steps)

    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        return in_blocks(
            trials, BLOCK, lambda some: self._at_once(present=present, trainings=some, generator=generator)
        )

    def _at_once(self, *, present: bool, trainings: int, generator: Bits) -> Float64[np.ndarray, " trainings"]:
        model = Blocks(trainings)
        watched = _Watched(self, model, self.private(model), present)
        train(
            model=model,
            optimiser=self.optimiser.build(trainable(model)),
            source=watched,
            records=Repeated(_records(self.records), torch.arange(self.records + 1) % CLASSES),
            steps=self.steps,
            generator=generator,
        )
        if self.sees == "steps":
            return watched.seen
        # The canary's gradient is positive: who saw it went down.
        return -model.weights.weight[:, -1].detach().double().numpy()

    def private(self, model: nn.Module) -> Private:
        """The training's own source of gradients."""
        return Private(
            mechanism=self.mechanism(),
            engine=engines.load("ghost_norms", model),
            loss=loss,
            micro_batch=1 << 24,
        )


class _Watched:
    """The source of gradients of all trainings at once; the canary is the last record of each."""

    def __init__(self, game: Trainings, model: Blocks, private: Private, present: bool) -> None:
        self.private, self.present = private, present
        self.trainings, self.each = model.weights.num_embeddings, game.records + 1
        self.seen = np.zeros(self.trainings)

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        # One sample of all records is a sample of each training's: who enters is drawn for each record by itself.
        everybody = replace(self.private.mechanism, records=self.trainings * self.each)
        places = everybody.sample(generator=generator)
        return places if self.present else places[places % self.each < self.each - 1]

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits) -> Step:
        step, mechanism = self.private.step(inputs, targets, generator), self.private.mechanism
        released = step.gradient.view(self.trainings, -1)[:, -1:].double()
        signal = released * (mechanism.expected_batch / mechanism.clip_norm)
        self.seen += log_ratio(signal, 1.0, 0.0, std=mechanism.noise_multiplier, rate=mechanism.rate)
        return step


@dataclass(frozen=True)
class Repeated(Examples):
    """The same records in every training; a place counts through all records of one training after the other."""

    def rows(self, places: Int64[Tensor, " batch"]) -> tuple[Tensor, Int64[Tensor, " batch"]]:
        record = places % len(self.inputs)
        number = torch.div(places, len(self.inputs), rounding_mode="floor")
        return torch.cat([self.inputs[record], number[:, None].to(self.inputs)], dim=1), self.targets[record]


def _records(count: int) -> Float[Tensor, "records width"]:
    """Features of some records, made once and for all, and the canary, each told by the last column."""
    features = noise.normal(count + 1, FEATURES, generator=noise.seeded(0, "records of small trainings")).float()
    features[-1] = 0
    canary = (torch.arange(count + 1) == count).float()
    return torch.cat([features, canary[:, None]], dim=1)
