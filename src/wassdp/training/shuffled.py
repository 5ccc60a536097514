"""Training in shuffled passes over the records, as most published code does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.noise import Bits
from wassdp.training.evaluation import evaluate
from wassdp.training.fit import Epoch, ModelTraining, known, total
from wassdp.training.gradients import assign
from wassdp.training.inputs import Examples


@dataclass(frozen=True)
class ShuffledStep:
    """What one step gives: the gradient to follow, the mean loss, and what was measured, shape (measured,).

    Where nothing was measured, the step before stands for it, unless that was so in the first step of the pass.
    """

    gradient: Float[Tensor, " dim"]
    loss: float
    measured: Float[Tensor, " measured"] | None = None


@dataclass(frozen=True, kw_only=True)
class ShuffledTraining(ModelTraining[Tensor, tuple[float, Tensor | None]]):
    """Everything that one training needs; an epoch is a pass.

    Of each pass, the progress keeps ``measured``, one row for each step, shape (steps, measured).

    Args:
        source: from a batch, the stream of noise and the step's number in its pass (from 1) to what the step gives.
        train: the records. Every pass shuffles them and cuts them into batches.
        test: held-out examples, for evaluation only.
        batch: records in a step; in the last step of a pass, what is left.

    Raises:
        ValueError: the batch is below 1.
    """

    source: Callable[[Tensor, Tensor, Bits, int], ShuffledStep]
    train: Examples
    test: Examples
    batch: int

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("batch", self.batch, least=1)

    def batches(self, epoch: int) -> list[Tensor]:
        order = noise.permutation(len(self.train.targets), generator=self.session.streams.sampler)
        return list(order.to(self.train.targets.device).split(self.batch))

    def step(self, batch: Tensor, *, epoch: int, number: int) -> tuple[float, Tensor | None]:
        step = self.source(*self.train.rows(batch), self.session.streams.noise, number)
        assign(self.weights, step.gradient)
        self.optimiser.step()
        return step.loss * len(batch), None if step.measured is None else step.measured.cpu()

    def evaluate(self, epoch: int, rows: list[tuple[float, Tensor | None]]) -> Epoch:
        evaluation = evaluate(self.model, self.test.inputs, self.test.targets)
        train_loss = total(loss for loss, _ in rows) / len(self.train.targets)
        losses = known({"test_loss": evaluation.loss, "train_loss": train_loss})
        figures = {"accuracy": evaluation.accuracy} | losses
        measured: list[Tensor] = []
        for _, row in rows:
            if row is not None or measured:
                measured.append(measured[-1] if row is None else row)
        return Epoch(figures, tensors={"measured": torch.stack(measured)} if measured else {})
