"""The training loop: sample, differentiate, release, step; a checkpoint at the end of each epoch."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp import checks
from wassdp.training.averaging import Average, Latest, applied
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.epochs import Progress, remaining
from wassdp.training.evaluation import evaluate
from wassdp.training.gradients import Source, assign, trainable
from wassdp.training.reproducible import Streams
from wassdp.training.views import Augmentation

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Examples:
    """Inputs, shape (examples, ...), and class numbers, shape (examples,), on the device of the run."""

    inputs: Float[Tensor, " examples *shape"]
    targets: Int64[Tensor, " examples"]


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that one training needs.

    Args:
        model: on the device of ``train`` and ``test``.
        optimiser: of the model's trainable parameters.
        source: draws a step's records and turns them into its gradient.
        train: the records.
        test: held-out examples, for evaluation only.
        epochs: number of epochs.
        steps_per_epoch: steps between two evaluations.
        streams: the run's random streams.
        checkpoint: where the state is kept.
        on_epoch: told the epoch's number (from 1) and its figures, after each epoch.
        steps: stop after this many steps in all, so that the last epoch may be shorter; None for whole epochs.
        average: of the weights; evaluation, and the model that is left behind, use it.
        augmentation: turns a step's images into several views of each; the generator of the sampler draws them.
        only: names of the figures that are reported and kept, ``steps`` among them; None for all.
    """

    model: nn.Module
    optimiser: torch.optim.Optimizer
    source: Source
    train: Examples
    test: Examples
    epochs: int
    steps_per_epoch: int
    streams: Streams
    checkpoint: Checkpoint
    on_epoch: Callable[[int, dict[str, float]], None]
    steps: int | None = None
    average: Average = field(default_factory=Latest)
    augmentation: Augmentation | None = None
    only: frozenset[str] | None = None

    def run(self) -> tuple[Progress, float]:
        """Train, resuming from the checkpoint if there is one that belongs to this run.

        A resumed run goes through the same states as an undisturbed one, bit by bit.

        Returns:
            The progress, and how many of its seconds were spent before this call.

        Raises:
            ValueError: a number of epochs or steps is below 1.
            FloatingPointError: a gradient was not finite; the message says in which step. Nothing of
                that step was released.
        """
        checks.whole("epochs", self.epochs, least=1)
        checks.whole("steps_per_epoch", self.steps_per_epoch, least=1)
        total = self.epochs * self.steps_per_epoch if self.steps is None else checks.whole("steps", self.steps, least=1)
        progress, earlier = remaining(
            self._resume(),
            min(self.epochs, -(-total // self.steps_per_epoch)),
            epoch=lambda number: self._epoch(number, min(total, number * self.steps_per_epoch)),
            on_epoch=self.on_epoch,
            save=self._save,
            only=self.only,
        )
        self.average.settle(trainable(self.model))
        return progress, earlier

    def _epoch(self, epoch: int, end: int) -> dict[str, float]:
        """The epoch of that number, up to step ``end`` of the run."""
        steps = end - (epoch - 1) * self.steps_per_epoch
        parameters = trainable(self.model)
        loss, sizes = 0.0, []
        for number in range(1, steps + 1):
            chosen = self.source.sample(self.streams.sampler).to(self.train.targets.device)
            inputs = self.train.inputs[chosen]
            if self.augmentation is not None:
                inputs = self.augmentation(inputs, generator=self.streams.sampler)
            try:
                step = self.source.step(inputs, self.train.targets[chosen], self.streams.noise)
            except FloatingPointError as error:
                raise FloatingPointError(f"epoch {epoch}, step {number} of {steps}: {error}") from error
            assign(parameters, step.gradient)
            self.optimiser.step()
            self.average.update(parameters)
            loss += step.loss
            sizes.append(len(chosen))
        with applied(self.average, parameters):
            found = evaluate(self.model, self.test.inputs, self.test.targets)
        figures = {
            "accuracy": found.accuracy,
            "test_loss": found.loss,
            "steps": float(steps),
            "batch_min": float(min(sizes)),
            "batch_mean": sum(sizes) / len(sizes),
            "batch_max": float(max(sizes)),
        }
        return figures | ({"train_loss": loss / sum(sizes)} if sum(sizes) else {})

    def _save(self, progress: Progress) -> None:
        self.checkpoint.save(
            {
                "model": self.model.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "average": self.average.state_dict(),
                "streams": self.streams.state(),
                "epochs": progress.epochs,
                "seconds": progress.seconds,
            }
        )

    def _resume(self) -> Progress:
        state: dict[str, Any] | None = self.checkpoint.load()
        if state is None:
            return Progress()
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.load_state_dict(state["average"], trainable(self.model))
        self.streams.restore(state["streams"])
        logger.info("resumed after epoch %d of %d", len(state["epochs"]), self.epochs)
        return Progress(epochs=state["epochs"], seconds=state["seconds"])
