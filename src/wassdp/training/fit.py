"""The loop of every training: epochs of steps; each epoch is reported and then saved, and gone on with bit by bit."""

from __future__ import annotations

import copy
import functools
import logging
import math
import operator
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from wassdp import checks
from wassdp.finite import all_finite
from wassdp.training.averaging import Average, applied
from wassdp.training.gradients import trainable
from wassdp.training.session import Session

logger = logging.getLogger(__name__)

Batch = TypeVar("Batch")
Row = TypeVar("Row")


class Part(Protocol):
    """A part of a training that changes on the way, so that a checkpoint holds it."""

    def state_dict(self) -> dict[str, Any]:
        """Everything that a resumed run needs: tensors, numbers, strings, lists and dictionaries of such."""

    def load_state_dict(self, state: Any, /) -> object:
        """Put back what `state_dict` gave."""


@dataclass
class Progress:
    """How far a run has come.

    Args:
        epochs: one row of figures for each finished epoch.
        rows: figures of single steps, of those that keep any.
        tensors: what else epochs leave behind, by name, in their order.
        seconds: wall-clock time spent so far, in earlier parts of a resumed run included.
        earlier: how many of them were spent before this part of the run.
    """

    epochs: list[dict[str, float]] = field(default_factory=list)
    rows: list[dict[str, float]] = field(default_factory=list)
    tensors: dict[str, list[Tensor]] = field(default_factory=dict)
    seconds: float = 0.0
    earlier: float = 0.0


@dataclass(frozen=True)
class Epoch:
    """What an epoch leaves behind, on the processor: entries of a `Progress`."""

    figures: dict[str, float]
    rows: Sequence[dict[str, float]] = ()
    tensors: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Training(Generic[Batch, Row]):
    """A training; a family of trainings says what its parts are, what a step does and how an epoch is evaluated.

    Args:
        session: streams, checkpoint, and what may be kept.
        average: of the weights; evaluation, and the model that is left behind, use it.
    """

    session: Session
    average: Average = field(default_factory=Average)

    @property
    def last_epoch(self) -> int:
        """Number of the last epoch; the first one is 1."""
        raise NotImplementedError

    @property
    def parts(self) -> dict[str, Part]:
        """What changes on the way, besides the session's streams and the average."""
        raise NotImplementedError

    @property
    def weights(self) -> list[nn.Parameter]:
        """What is trained."""
        raise NotImplementedError

    def batches(self, epoch: int) -> Sequence[Batch]:
        """What each step of an epoch begins with."""
        raise NotImplementedError

    def step(self, batch: Batch, *, epoch: int, number: int) -> Row:
        """Change the weights; gives what `evaluate` needs of the step.

        Args:
            batch: what the step begins with.
            epoch: number of the epoch, from 1.
            number: number of the step in its epoch, from 1.

        Raises:
            FloatingPointError: something is not finite.
        """
        raise NotImplementedError

    def evaluate(self, epoch: int, rows: list[Row]) -> Epoch:
        """The end of an epoch whose steps gave ``rows``; the weights are at their average meanwhile."""
        raise NotImplementedError

    def named(self, epoch: int, number: int, steps: int) -> str:
        """A step in words, for messages."""
        return f"epoch {epoch}, step {number} of {steps}"

    def report(self, epoch: int, figures: dict[str, float]) -> None:
        """Record the figures of a finished epoch."""
        self.session.record("epoch", epoch, figures)

    def run(self) -> Progress:
        """Train, resuming from the checkpoint if there is one that belongs to this run.

        A resumed run goes through the same states as an undisturbed one, bit by bit.

        Raises:
            FloatingPointError: a weight, or what the family looks at, was not finite; the message names the step.
        """
        parts = self.parts | {"average": self.average, "streams": self.session.streams}
        progress = self._resumed(parts)
        if not progress.epochs:
            self.session.begin()
        started = time.monotonic()
        for number in range(len(progress.epochs) + 1, self.last_epoch + 1):
            epoch = self._epoch(number)
            figures = self.session.kept(epoch.figures)
            progress.epochs.append(figures)
            progress.rows += map(self.session.kept, epoch.rows)
            for name, tensor in self.session.kept(epoch.tensors).items():
                progress.tensors.setdefault(name, []).append(tensor)
            progress.seconds = progress.earlier + time.monotonic() - started
            # Reported before it is saved: a kill in between reports the same figures twice, and loses none.
            self.report(number, figures)
            self.session.checkpoint.save(
                {name: part.state_dict() for name, part in parts.items()} | {"progress": vars(progress)}
            )
        self.average.settle(self.weights)
        return progress

    def _resumed(self, parts: Mapping[str, Part]) -> Progress:
        state = self.session.checkpoint.load()
        if state is None:
            return Progress()
        before = {name: copy.deepcopy(part.state_dict()) for name, part in parts.items()}
        try:
            for name, part in parts.items():
                part.load_state_dict(state[name])
            progress = Progress(**state["progress"])
            progress.earlier = float(progress.seconds)
            if not all(isinstance(rows, list) for rows in (progress.epochs, progress.rows)):
                raise TypeError("epochs and rows must be lists")
        except Exception as error:  # whatever parts make of a state that is not theirs, the run starts anew
            for name, part in parts.items():
                part.load_state_dict(before[name])
            reason = str(error).partition("\n")[0]
            file = self.session.checkpoint.path
            logger.warning("checkpoint %s: ignored, of odd structure (%s: %s)", file, type(error).__name__, reason)
            return Progress()
        logger.info("resumed after epoch %d of %d", len(progress.epochs), self.last_epoch)
        return progress

    def _epoch(self, epoch: int) -> Epoch:
        weights, batches, rows = self.weights, self.batches(epoch), list[Row]()
        for number, batch in enumerate(batches, start=1):
            try:
                rows.append(self.step(batch, epoch=epoch, number=number))
                refuse_divergence(weights)
            except FloatingPointError as error:
                raise FloatingPointError(f"{self.named(epoch, number, len(batches))}: {error}") from error
            self.average.update(weights)
        with applied(self.average, weights):
            return self.evaluate(epoch, rows)


@dataclass(frozen=True, kw_only=True)
class ModelTraining(Training[Batch, Row]):
    """A training of one model by one optimiser, for a number of epochs.

    Args:
        model: where its records are.
        optimiser: of the model's trainable parameters.
        epochs: their number.

    Raises:
        ValueError: the number is below 1.
    """

    model: nn.Module
    optimiser: torch.optim.Optimizer
    epochs: int

    def __post_init__(self) -> None:
        checks.whole("epochs", self.epochs, least=1)

    @property
    def last_epoch(self) -> int:
        return self.epochs

    @property
    def parts(self) -> dict[str, Part]:
        return {"model": self.model, "optimiser": self.optimiser}

    @property
    def weights(self) -> list[nn.Parameter]:
        return trainable(self.model)


def refuse_divergence(weights: Sequence[nn.Parameter]) -> None:
    """Stop where a weight is no number: from there on every record's gradient would count as zero.

    Weights are computed from what was released, so that stopping because of them says nothing more.

    Raises:
        FloatingPointError: a weight is not finite.
    """
    if not all_finite(*weights):
        raise FloatingPointError("a weight is not finite: the training has diverged")


def finite(figures: dict[str, float]) -> dict[str, float]:
    """The same figures.

    Raises:
        FloatingPointError: one is not finite. The message names it alone: others may be of private records, without
            noise, and stand in no log.
    """
    if lost := [name for name, value in figures.items() if not math.isfinite(value)]:
        raise FloatingPointError(f"{', '.join(lost)}: is not finite")
    return figures


def known(figures: dict[str, float]) -> dict[str, float]:
    """The figures that are finite.

    One record may leave a loss without a value; a run goes on, since stopping would say that the record is there.

    >>> known({"test_loss": 0.5, "train_loss": float("nan")})
    {'test_loss': 0.5}
    """
    return {name: value for name, value in figures.items() if math.isfinite(value)}


def total(values: Iterable[float]) -> float:
    """Sum from left to right, with the same rounding in every version of Python, which `sum` has not."""
    return functools.reduce(operator.add, values, 0.0)
