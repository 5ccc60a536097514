"""Training in shuffled passes over the records, as most published code does; a checkpoint at the end of each pass."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.noise import Bits
from wassdp.training import epochs
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.evaluation import evaluate
from wassdp.training.gradients import assign, trainable
from wassdp.training.inputs import Examples
from wassdp.training.reproducible import Streams

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Step:
    """What one step gives: the gradient to follow, the mean loss, and what was measured, shape (measured,).

    Where nothing was measured, the step before stands for it; the first step of a pass must be measured.
    """

    gradient: Float[Tensor, " dim"]
    loss: float
    measured: Float[Tensor, " measured"] | None


@dataclass
class Progress(epochs.Progress):
    """How far a run has come; an epoch is a pass.

    Args:
        measured: one row for each step, shape (steps, measured), on the processor.
    """

    measured: Tensor = field(default_factory=lambda: torch.zeros(0))


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that one training needs.

    Args:
        model: on the device of ``train`` and ``test``.
        optimiser: of the model's trainable parameters.
        step: from a batch, the stream of noise and the step's number in its pass (from 1) to what the step gives.
        train: the records. Every pass shuffles them and cuts them into batches.
        test: held-out examples, for evaluation only.
        epochs: number of passes.
        batch: records in a step; in the last step of a pass, what is left.
        streams: the run's random streams.
        checkpoint: where the state is kept.
        on_epoch: told the number of each finished pass (from 1) and its figures.
        only: names of the figures that are reported and kept; None for all.
    """

    model: nn.Module
    optimiser: torch.optim.Optimizer
    step: Callable[[Tensor, Tensor, Bits, int], Step]
    train: Examples
    test: Examples
    epochs: int
    batch: int
    streams: Streams
    checkpoint: Checkpoint
    on_epoch: Callable[[int, dict[str, float]], None]
    only: frozenset[str] | None = None

    def run(self) -> tuple[Progress, float]:
        """Train, resuming from the checkpoint if there is one that belongs to this run.

        A resumed run goes through the same states as an undisturbed one, bit by bit.

        Returns:
            The progress, and how many of its seconds were spent before this call.

        Raises:
            ValueError: the number of epochs or the batch is below 1.
            FloatingPointError: a gradient was not finite; the message says in which step.
        """
        checks.whole("epochs", self.epochs, least=1)
        checks.whole("batch", self.batch, least=1)
        progress = self._resume()

        def epoch(number: int) -> dict[str, float]:
            figures, measured = self._pass(number)
            progress.measured = torch.cat((progress.measured, measured)) if len(progress.measured) else measured
            return figures

        return epochs.remaining(
            progress, self.epochs, epoch=epoch, on_epoch=self.on_epoch, save=self._save, only=self.only
        )

    def _pass(self, epoch: int) -> tuple[dict[str, float], Tensor]:
        weights, records = trainable(self.model), len(self.train.targets)
        order = noise.permutation(records, generator=self.streams.sampler).to(self.train.targets.device)
        loss, measured = 0.0, list[Tensor]()
        for number, chosen in enumerate(order.split(self.batch), start=1):
            try:
                step = self.step(self.train.inputs[chosen], self.train.targets[chosen], self.streams.noise, number)
            except FloatingPointError as error:
                raise FloatingPointError(f"epoch {epoch}, step {number}: {error}") from error
            assign(weights, step.gradient)
            self.optimiser.step()
            loss += step.loss * len(chosen)
            measured.append(measured[-1] if step.measured is None else step.measured.cpu())
        found = evaluate(self.model, self.test.inputs, self.test.targets, chunk=self.batch)
        figures = {"accuracy": found.accuracy, "test_loss": found.loss, "train_loss": loss / records}
        return figures, torch.stack(measured)

    def _save(self, progress: Progress) -> None:
        self.checkpoint.save(
            {
                "model": self.model.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "streams": self.streams.state_dict(),
                "epochs": progress.epochs,
                "measured": progress.measured,
                "seconds": progress.seconds,
            }
        )

    def _resume(self) -> Progress:
        state: dict[str, Any] | None = self.checkpoint.load()
        if state is None:
            return Progress()
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.streams.load_state_dict(state["streams"])
        logger.info("resumed after epoch %d of %d", len(state["epochs"]), self.epochs)
        return Progress(epochs=state["epochs"], measured=state["measured"], seconds=state["seconds"])
