"""Training on Poisson samples: sample, differentiate, release, step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from wassdp import checks
from wassdp.training.augmentation import Augmentation
from wassdp.training.evaluation import evaluate
from wassdp.training.fit import Epoch, ModelTraining, Part, total
from wassdp.training.gradients import Source, assign
from wassdp.training.inputs import Examples


@dataclass(frozen=True)
class Row:
    """Of one step: the sum of its records' losses, how many there were, and how many gradients were not finite."""

    loss: float
    records: int
    zeroed: int


@dataclass(frozen=True, kw_only=True)
class PoissonTraining(ModelTraining[int, Row]):
    """Everything that one training needs.

    Args:
        source: draws a step's records and turns them into its gradient.
        train: the records.
        test: held-out examples, for evaluation only.
        steps_per_epoch: steps between two evaluations.
        steps: stop after this many steps in all, so that the last epoch may be shorter; None for whole epochs.
        augmentation: turns a step's images into several views of each; the generator of the sampler draws them.
        spent: the budget, by name, that so many steps have spent; reported beside the figures of an epoch.
        beside: what else changes on the way, by name.

    Raises:
        ValueError: a number of steps is below 1.
    """

    source: Source
    train: Examples
    test: Examples
    steps_per_epoch: int
    steps: int | None = None
    augmentation: Augmentation | None = None
    spent: Callable[[int], dict[str, float]] = lambda steps: {}
    beside: Mapping[str, Part] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("steps_per_epoch", self.steps_per_epoch, least=1)
        if self.steps is not None:
            checks.whole("steps", self.steps, least=1)

    @property
    def last_epoch(self) -> int:
        return min(self.epochs, -(-self._steps // self.steps_per_epoch))

    @property
    def parts(self) -> dict[str, Part]:
        return {**super().parts, **self.beside}

    def batches(self, epoch: int) -> range:
        """The numbers of an epoch's steps in the whole run."""
        return range(self._steps)[(epoch - 1) * self.steps_per_epoch : epoch * self.steps_per_epoch]

    def step(self, batch: int, *, epoch: int, number: int) -> Row:
        places = self.source.sample(self.session.streams.sampler).to(self.train.targets.device)
        inputs, targets = self.train.rows(places)
        if self.augmentation is not None:
            inputs = self.augmentation(inputs, generator=self.session.streams.sampler)
        step = self.source.step(inputs, targets, self.session.streams.noise)
        assign(self.weights, step.gradient)
        self.optimiser.step()
        return Row(step.loss, len(places), step.zeroed)

    def evaluate(self, epoch: int, rows: list[Row]) -> Epoch:
        evaluation = evaluate(self.model, self.test.inputs, self.test.targets)
        sizes = [row.records for row in rows]
        figures = {
            "accuracy": evaluation.accuracy,
            "test_loss": evaluation.loss,
            "steps": float(len(rows)),
            "batch_min": float(min(sizes)),
            "batch_mean": sum(sizes) / len(sizes),
            "batch_max": float(max(sizes)),
            "zeroed": float(sum(row.zeroed for row in rows)),
        }
        if sum(sizes):
            figures["train_loss"] = total(row.loss for row in rows) / sum(sizes)
        return Epoch(figures)

    def report(self, epoch: int, figures: dict[str, float]) -> None:
        steps = min(self._steps, epoch * self.steps_per_epoch)
        self.session.record("epoch", steps / self.steps_per_epoch, figures | self.spent(steps))

    @property
    def _steps(self) -> int:
        """Of the whole run."""
        return self.epochs * self.steps_per_epoch if self.steps is None else self.steps
