"""The training of a generator: generate, compare with a release, step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from jaxtyping import Int64
from torch import Tensor

from wassdp import checks
from wassdp.generation import generators
from wassdp.generation.target import Target
from wassdp.training.fit import Epoch, ModelTraining, Part, finite, total


@dataclass(frozen=True, kw_only=True)
class GeneratorTraining(ModelTraining[int, dict[str, float]]):
    """Everything that the training of a generator needs; codes come from torch's global generator.

    Args:
        model: the generator, on the device of the session.
        target: what it is trained towards.
        batch: images generated in a step, a multiple of the number of classes.
        steps_per_epoch: steps of an epoch, a part of the training with a line of figures and a checkpoint.
        beside: what else changes on the way, such as an attack.
        final_learning_rate: at the end; between, the optimiser's own goes there by a constant factor. None: constant.

    Raises:
        ValueError: a number is outside its range.
    """

    model: generators.Generator
    target: Target
    batch: int
    steps_per_epoch: int
    final_learning_rate: float | None = None
    beside: Mapping[str, Part] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("steps_per_epoch", self.steps_per_epoch, least=1)
        if self.final_learning_rate is not None:
            checks.positive("final_learning_rate", self.final_learning_rate)
        for group in self.optimiser.param_groups:
            group.setdefault("initial_lr", group["lr"])

    @cached_property
    def labels(self) -> Int64[Tensor, " batch"] | None:
        """The classes of the images of a step."""
        return generators.balanced(self.batch, self.model.classes, self.session.device)

    @property
    def parts(self) -> dict[str, Part]:
        return super().parts | {"target": self.target, **self.beside}

    def batches(self, epoch: int) -> range:
        """The numbers of an epoch's steps in the whole run, from 0."""
        return range((epoch - 1) * self.steps_per_epoch, epoch * self.steps_per_epoch)

    def step(self, batch: int, *, epoch: int, number: int) -> dict[str, float]:
        if self.final_learning_rate is not None:
            for group in self.optimiser.param_groups:
                group["lr"] = self._learning_rate(group["initial_lr"], self.final_learning_rate, batch)
        self.target.advance(batch, self.session.streams.noise)
        images = generators.generate(self.model, self.labels, count=self.batch, device=self.session.device)
        loss = self.target.loss(images, self.labels, self.session.streams.sampler)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return finite({"loss": float(loss.detach())})

    def evaluate(self, epoch: int, rows: list[dict[str, float]]) -> Epoch:
        return Epoch({"loss": total(row["loss"] for row in rows) / len(rows)})

    def _learning_rate(self, first: float, last: float, step: int) -> float:
        """The learning rate at ``step``, a function of the step alone, so that it needs no state."""
        return first * math.pow(last / first, step / (self.epochs * self.steps_per_epoch))
