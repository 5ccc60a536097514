"""The training of a generator: generate, compare with a release, step; a checkpoint at the end of each epoch."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from wassdp import checks
from wassdp.generation import generators
from wassdp.generation.targets import Target
from wassdp.training.averaging import Average, Latest
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.epochs import Progress, remaining
from wassdp.training.gradients import trainable
from wassdp.training.reproducible import Streams

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that the training of a generator needs.

    Args:
        generator: on the device of the run.
        optimiser: of its parameters.
        target: what it is trained towards.
        batch: images generated in a step, a multiple of the number of classes.
        epochs: parts of the training, each with a line of figures and a checkpoint.
        steps_per_epoch: steps of each.
        device: device of the run.
        streams: the run's random streams; codes come from torch's global generator.
        checkpoint: where the state is kept.
        on_epoch: told the epoch's number (from 1) and its figures, after each epoch.
        average: of the weights; the generator that is left behind has them.
        final_learning_rate: at the end; between, the optimiser's own goes there by a constant factor. None: constant.
    """

    generator: generators.Generator
    optimiser: torch.optim.Optimizer
    target: Target
    batch: int
    epochs: int
    steps_per_epoch: int
    device: torch.device
    streams: Streams
    checkpoint: Checkpoint
    on_epoch: Callable[[int, dict[str, float]], None]
    average: Average = field(default_factory=Latest)
    final_learning_rate: float | None = None

    def run(self) -> tuple[Progress, float]:
        """Train, resuming from the checkpoint if there is one that belongs to this run.

        A resumed run goes through the same states as an undisturbed one, bit by bit.

        Returns:
            The progress, and how many of its seconds were spent before this call.

        Raises:
            ValueError: a number is outside its range.
            FloatingPointError: the loss was not finite; the message says in which step.
        """
        checks.whole("epochs", self.epochs, least=1)
        checks.whole("steps_per_epoch", self.steps_per_epoch, least=1)
        if self.final_learning_rate is not None:
            checks.positive("final_learning_rate", self.final_learning_rate)
        for group in self.optimiser.param_groups:
            group.setdefault("initial_lr", group["lr"])
        labels = generators.balanced(self.batch, self.generator.classes, self.device)
        progress, earlier = remaining(
            self._resume(),
            self.epochs,
            epoch=lambda number: self._epoch(number, labels),
            on_epoch=self.on_epoch,
            save=self._save,
        )
        self.average.settle(trainable(self.generator))
        return progress, earlier

    def _epoch(self, epoch: int, labels: torch.Tensor | None) -> dict[str, float]:
        total = 0.0
        for number in range(self.steps_per_epoch):
            loss = self._step((epoch - 1) * self.steps_per_epoch + number, labels)
            if not math.isfinite(loss):
                raise FloatingPointError(f"epoch {epoch}, step {number + 1}: the loss is {loss}")
            total += loss
        return {"loss": total / self.steps_per_epoch}

    def _learning_rate(self, first: float, last: float, step: int) -> float:
        """The learning rate at ``step``, a function of the step alone, so that it needs no state."""
        return first * math.pow(last / first, step / (self.epochs * self.steps_per_epoch))

    def _step(self, step: int, labels: torch.Tensor | None) -> float:
        if self.final_learning_rate is not None:
            for group in self.optimiser.param_groups:
                group["lr"] = self._learning_rate(group["initial_lr"], self.final_learning_rate, step)
        self.target.advance(step, self.streams.noise)
        images = generators.generate(self.generator, labels, count=self.batch, device=self.device)
        loss = self.target.loss(images, labels, self.streams.sampler)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.average.update(trainable(self.generator))
        return float(loss.detach())

    def _save(self, progress: Progress) -> None:
        self.checkpoint.save(
            {
                "generator": self.generator.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "average": self.average.state_dict(),
                "target": self.target.state(),
                "streams": self.streams.state_dict(),
                "epochs": progress.epochs,
                "seconds": progress.seconds,
            }
        )

    def _resume(self) -> Progress:
        state: dict[str, Any] | None = self.checkpoint.load()
        if state is None:
            return Progress()
        self.generator.load_state_dict(state["generator"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.load_state_dict(state["average"])
        self.target.restore(state["target"], self.streams.noise)
        self.streams.load_state_dict(state["streams"])
        logger.info("resumed after epoch %d of %d", len(state["epochs"]), self.epochs)
        return Progress(epochs=state["epochs"], seconds=state["seconds"])
