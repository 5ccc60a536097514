"""The training loop of a `PrivateOptimiser`: in stretches of steps, with a checkpoint at the end of each."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from wassdp import checks
from wassdp.training import epochs
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.fit import refuse_divergence
from wassdp.training.wasserstein.engine import Clipped
from wassdp.training.wasserstein.optimiser import PrivateOptimiser

logger = logging.getLogger(__name__)

POINTS = 200
"""Of a curve, at most, beside those of the first step and of pictures."""
POINTS_IN_STRETCH = 5


@dataclass
class Progress(epochs.Progress):
    """How far a run has come; an epoch is a stretch here.

    Args:
        rows: figures of the steps that were measured.
        pictures: what was kept of the model, by step.
    """

    rows: list[dict[str, float]] = field(default_factory=list)
    pictures: dict[int, Tensor] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that one training needs.

    Args:
        private: model, optimiser and mechanism. The model must not draw random numbers.
        records: of every group, all its records: inputs of the model, or points.
        targets: of every group in the loss.
        steps: how many.
        figures: what is measured in a step.
        checkpoint: where the state is kept.
        on_stretch: told the last step of each finished stretch and its figures.
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
    checkpoint: Checkpoint
    on_stretch: Callable[[int, dict[str, float]], None]
    picture: Callable[[], Tensor] | None = None
    pictured: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        checks.whole("steps", self.steps, least=1)

    @property
    def measured(self) -> list[int]:
        """The steps that are measured: the first, the last, those that are pictured, and some evenly spread."""
        return sorted({1, *self._every(1), *self.pictured, self.steps})

    @property
    def ends(self) -> list[int]:
        """Last step of each stretch; every one is measured."""
        return sorted({*self._every(POINTS_IN_STRETCH), *self.pictured, self.steps})

    def _every(self, points: int) -> range:
        between = points * -(-self.steps // POINTS)
        return range(between, self.steps, between)

    def run(self) -> tuple[Progress, float]:
        """Train, resuming from the checkpoint if there is one that belongs to this run.

        A resumed run goes through the same states as an undisturbed one, bit by bit.

        Returns:
            The progress, and how many of its seconds were spent before this call.

        Raises:
            ValueError, FloatingPointError: as `PrivateOptimiser.step`, or a weight was not finite; the message of the
                latter says in which step.
        """
        progress, ends, measured = self._resume(), self.ends, set(self.measured)

        def stretch(number: int) -> dict[str, float]:
            end = ends[number - 1]
            while self.private.steps < end:
                found = self._step()
                if self.private.steps in measured:
                    progress.rows.append(self.figures(found))
            if end in self.pictured:
                assert self.picture is not None, "stated: needed if any step is pictured"
                progress.pictures[end] = self.picture()
            return progress.rows[-1]

        return epochs.remaining(
            progress,
            len(ends),
            epoch=stretch,
            on_epoch=lambda number, figures: self.on_stretch(ends[number - 1], figures),
            save=self._save,
        )

    def _step(self) -> Clipped:
        chosen, number = self.private.sample(), self.private.steps + 1
        try:
            found = self.private.step(
                {name: self.records[name][places] for name, places in chosen.items()},
                {name: each[chosen[name]] for name, each in self.targets.items()},
            )
            refuse_divergence(self.private.engine.parameters)
        except FloatingPointError as error:
            raise FloatingPointError(f"step {number} of {self.steps}: {error}") from error
        return found

    def _save(self, progress: Progress) -> None:
        self.checkpoint.save(
            {
                "private": self.private.state_dict(),
                "stretches": progress.epochs,
                "rows": progress.rows,
                "pictures": progress.pictures,
                "seconds": progress.seconds,
            }
        )

    def _resume(self) -> Progress:
        state: dict[str, Any] | None = self.checkpoint.load()
        if state is None:
            return Progress()
        self.private.load_state_dict(state["private"])
        logger.info("resumed after step %d of %d", self.private.steps, self.steps)
        return Progress(
            epochs=state["stretches"], seconds=state["seconds"], rows=state["rows"], pictures=state["pictures"]
        )
