"""Training by a `PrivateOptimiser`, in stretches of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor, nn

from wassdp import checks
from wassdp.training.fit import Epoch, Part, Training
from wassdp.training.wasserstein.engine import Clipped
from wassdp.training.wasserstein.optimiser import PrivateOptimiser

POINTS = 200
"""Of a curve, at most, beside those of the first step and of pictures."""
POINTS_IN_STRETCH = 5


@dataclass(frozen=True, kw_only=True)
class WassersteinTraining(Training[int, dict[str, float] | None]):
    """Everything that one training needs; an epoch is a stretch.

    The progress keeps the rows of the steps in `measured`, and a tensor ``picture`` of each step that is pictured.

    Args:
        private: model, optimiser and mechanism. The model must not draw random numbers.
        records: of every group, all its records: inputs of the model, or points.
        targets: of every group in the loss.
        steps: how many.
        figures: what is measured in a step.
        beside: what else changes on the way, such as an attack.
        picture: what is kept of the model; needed if any step is pictured.
        pictured: steps after which that is kept.

    Raises:
        ValueError: the number of steps is below 1.
    """

    private: PrivateOptimiser
    records: Mapping[str, Tensor]
    targets: Mapping[str, Tensor] = field(default_factory=dict)
    steps: int
    figures: Callable[[Clipped], dict[str, float]]
    beside: Mapping[str, Part] = field(default_factory=dict)
    picture: Callable[[], Tensor] | None = None
    pictured: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        checks.whole("steps", self.steps, least=1)

    @cached_property
    def measured(self) -> list[int]:
        """The steps that are measured: the first, the last, those that are pictured, and some evenly spread."""
        return sorted({1, *self._every(1), *self.pictured, self.steps})

    @cached_property
    def ends(self) -> list[int]:
        """Last step of each stretch; every one is measured."""
        return sorted({*self._every(POINTS_IN_STRETCH), *self.pictured, self.steps})

    def _every(self, points: int) -> range:
        between = points * -(-self.steps // POINTS)
        return range(between, self.steps, between)

    @property
    def last_epoch(self) -> int:
        return len(self.ends)

    @property
    def parts(self) -> dict[str, Part]:
        return {"private": self.private, **self.beside}

    @property
    def weights(self) -> list[nn.Parameter]:
        return list(self.private.engine.parameters)

    def batches(self, epoch: int) -> range:
        """The numbers of a stretch's steps in the whole run, from 1."""
        return range([0, *self.ends][epoch - 1] + 1, self.ends[epoch - 1] + 1)

    def step(self, batch: int, *, epoch: int, number: int) -> dict[str, float] | None:
        places = self.private.sample()
        clipped = self.private.step(
            {name: self.records[name][rows] for name, rows in places.items()},
            {name: targets[places[name]] for name, targets in self.targets.items()},
        )
        return self.figures(clipped) if batch in self.measured else None

    def evaluate(self, epoch: int, rows: list[dict[str, float] | None]) -> Epoch:
        measured = [row for row in rows if row is not None]
        if self.ends[epoch - 1] not in self.pictured:
            return Epoch(measured[-1], measured)
        assert self.picture is not None, "stated: needed if any step is pictured"
        return Epoch(measured[-1], measured, {"picture": self.picture()})

    def named(self, epoch: int, number: int, steps: int) -> str:
        return f"step {self.batches(epoch)[number - 1]} of {self.steps}"

    def report(self, epoch: int, figures: dict[str, float]) -> None:
        self.session.record("step", self.ends[epoch - 1], figures)
