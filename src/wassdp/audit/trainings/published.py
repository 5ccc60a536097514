"""Many small trainings at once by the step of the code published with *Wasserstein Differential Privacy*.

As `wassdp.audit.trainings.batched`: each training is a block of one model, with its own order of records, mask, noise
and weights, in the project's own loop of shuffled passes, by the release of `PublishedStep`. A neighbour replaces the
record: its gradient turns around the mean of each batch that it enters.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.audit import quiet
from wassdp.audit.game import Game, in_blocks
from wassdp.audit.trainings.batched import FEATURES, SGD, SLOPE, Blocks, Repeated, loss
from wassdp.mechanisms.published_step import PublishedStep
from wassdp.noise import Bits
from wassdp.training.fit import Epoch
from wassdp.training.gradients import trainable
from wassdp.training.inputs import Examples
from wassdp.training.optimisers import Optimiser
from wassdp.training.shuffled import ShuffledStep, ShuffledTraining

BLOCK = 20_000
"""Trainings that are worked off together."""
LEFT_OUT = 8
"""Examples of a batch that the published code leaves out, one at a time."""


@dataclass(frozen=True, kw_only=True)
class PublishedTrainings(Game):
    """Trainings in shuffled passes, C = 1; a trial is a training.

    Args:
        noise_multiplier: σ > 0.
        records: of each training, a multiple of ``batch``.
        batch: of them in a step, at least 2.
        passes: of each training.
        keep: probability in (0, 1] with which a coordinate is kept.
        optimiser: what follows the gradients.

    Raises:
        ValueError: an argument is outside its range.
    """

    noise_multiplier: float
    records: int = 32
    batch: int = 4
    passes: int = 1
    keep: float = 1.0
    optimiser: Optimiser = SGD

    neighbours = "a record whose gradient outweighs its batch in one weight, or its opposite, which all others have"

    def __post_init__(self) -> None:
        checks.positive("noise_multiplier", self.noise_multiplier)
        checks.whole("batch", self.batch, least=2)
        checks.whole("passes", self.passes, least=1)
        if checks.whole("records", self.records, least=self.batch) % self.batch:
            raise ValueError(f"records = {self.records}: must be a multiple of batch = {self.batch}")
        self.mechanism()

    @property
    def steps_per_pass(self) -> int:
        """Batches that a pass is cut into."""
        return self.records // self.batch

    def mechanism(self) -> PublishedStep:
        """One step."""
        return PublishedStep(clip_norm=SLOPE, noise_multiplier=self.noise_multiplier, keep=self.keep)

    def event(self) -> Composed:
        """What is proven: one full release in each pass."""
        found = self.published().worst_case()
        assert found is not None, "all steps are clipped, and nothing is exposed"
        return found

    def published(self) -> MeasuredGradients:
        """What the published accountants read, in the world with the record: distances of means that leave one out.

        One step of each pass has the record, and its means without it, and without another one, are opposite.
        """
        gradients = -SLOPE * torch.ones(self.steps_per_pass, self.batch, dtype=torch.float64)
        gradients[0, 0] *= -2 * self.batch
        means = (gradients.sum(dim=1, keepdim=True) - gradients)[:, :LEFT_OUT, None] / (self.batch - 1)
        # One coordinate alone is moved: it is kept, the others have no distances to add.
        measure = dataclasses.replace(self.mechanism(), keep=1.0)
        bits = noise.seeded(0, "mask")
        distances = torch.stack([measure.distances(each, generator=bits) for each in means])
        return self.mechanism().measured(
            distances.repeat(self.passes, 1).numpy(), records=self.records, batch=self.batch, coordinates=FEATURES + 1
        )

    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        return in_blocks(
            trials, BLOCK, lambda some: self._at_once(present=present, trainings=some, generator=generator)
        )

    def _at_once(self, *, present: bool, trainings: int, generator: Bits) -> Float64[np.ndarray, " trainings"]:
        model = Blocks(trainings)
        # The last column tells which way a record's gradient points, and how far; the last record is the one.
        rows = torch.zeros(self.records, FEATURES + 1)
        rows[:, -1] = -1
        rows[-1, -1] = 2 * self.batch if present else -1
        watched = _Watched(self, model)
        _Loop(
            session=quiet.session(generator),
            model=model,
            optimiser=self.optimiser.build(trainable(model)),
            source=watched.step,
            train=Repeated(rows, torch.zeros(self.records, dtype=torch.int64)),
            test=Examples(rows[:0], torch.zeros(0, dtype=torch.int64)),
            epochs=self.passes,
            batch=self.batch,
        ).run()
        return watched.seen


class _Loop(ShuffledTraining):
    """Every training shuffles its own records."""

    def batches(self, epoch: int) -> list[Tensor]:
        model, records = self.model, len(self.train.targets)
        assert isinstance(model, Blocks)
        number = model.weights.num_embeddings
        orders = [noise.permutation(records, generator=self.session.streams.sampler) for _ in range(number)]
        places = torch.stack(orders) + records * torch.arange(number)[:, None]
        return [part.flatten() for part in places.split(self.batch, dim=1)]

    def evaluate(self, epoch: int, rows: list[tuple[float, Tensor | None]]) -> Epoch:
        return Epoch({"steps": float(len(rows))})


class _Watched:
    """The source of gradients of all trainings at once, and the log-likelihood ratio of what was released."""

    def __init__(self, game: PublishedTrainings, model: nn.Module) -> None:
        self.game, self.model, self.mechanism = game, model, game.mechanism()
        self.terms: list[np.ndarray] = []
        self.seen: Float64[np.ndarray, " trainings"] = np.zeros(1)

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits, number: int) -> ShuffledStep:
        """One step of each training; their batches stand one after the other."""
        game = self.game
        total = loss(self.model(inputs), targets).sum()
        (gradient,) = torch.autograd.grad(total, trainable(self.model))
        released = self.mechanism.release(gradient.double() / game.batch, generator=generator)
        self._look(released[:, -1], number)
        return ShuffledStep(gradient=released.to(gradient).flatten(), loss=float(total.detach()) / len(targets))

    def _look(self, released: Float[Tensor, " trainings"], number: int) -> None:
        """Add a pass to the ratio where it is over: of which step the record was in, only the mean is known."""
        shift = 2 / self.mechanism.noise_multiplier
        moved = (released.numpy() + SLOPE) / self.mechanism.noise_std
        # What is not kept is 0 exactly.
        self.terms.append(np.where(released.numpy() == 0, 0.0, shift * moved - shift**2 / 2))
        if number == self.game.steps_per_pass:
            self.seen = self.seen + np.logaddexp.reduce(self.terms, axis=0) - math.log(number)
            self.terms = []
