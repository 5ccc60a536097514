"""What experiments with clipped Wasserstein gradients have in common: budget, optimiser, and what they found."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import nn

from wassdp import experiment
from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import Bound, Objective
from wassdp.ranges import LearningRate
from wassdp.training.fit import Progress
from wassdp.training.optimisers import Optimiser
from wassdp.training.session import Session
from wassdp.training.wasserstein.budget import Calibration, followed, schedule
from wassdp.training.wasserstein.optimiser import PrivateOptimiser

DELTA_SHARE = 0.1
"""Delta is this over the number of records, as in the papers' experiments."""
DIRECTIONS = 200
"""Directions of the distances that are reported at the end."""


class WassersteinParameters(experiment.PrivateParameters):
    """One training. The sizes of all groups are public."""

    public_figures: ClassVar[tuple[str, ...]] = ("noise_multiplier", "noise_std", "sensitivity", "records", "steps")

    privacy: Calibration | None = Field(description="null: the same clipping, no noise")
    steps: Annotated[int, Field(ge=1, le=1_000_000)]
    optimiser: Literal["sgd", "momentum", "adam"] = "sgd"
    learning_rate: LearningRate
    projections: Annotated[int, Field(ge=1, description="directions of a step, for outputs in the plane")] = 50

    @property
    def bound(self) -> Bound:
        """Which theorem bounds the sensitivity."""
        return "tight" if self.privacy is None else self.privacy.bound

    def expected_event(self) -> Event | None:
        if self.privacy is None:
            return None
        return followed(expected.drawn(expected.wasserstein_gradient("replace-one-inside-class")), self.after())

    @property
    @abstractmethod
    def neighbours(self) -> str:
        """Inside which class a record is replaced, in words."""

    def notes(self, unnoised: str) -> tuple[str, ...]:
        return (self.neighbours, *super().notes(unnoised))

    def after(self) -> Composed | None:
        """What is released after the last step, within the same budget, if anything is."""
        return None

    def mechanism(self, objective: Objective, delta: float) -> ClippedWassersteinGradient:
        """What releases a step's gradient, with the least noise that keeps the budget; none without privacy.

        Raises:
            ValueError: no noise keeps the budget.
        """
        multiplier = 0.0
        if self.privacy is not None:
            multiplier = self.privacy.noise_multiplier(objective, steps=self.steps, delta=delta, after=self.after())
        return ClippedWassersteinGradient(objective=objective, noise_multiplier=multiplier)

    def follow(self, model: nn.Module) -> torch.optim.Optimizer:
        """What follows the gradients of ``model``."""
        return Optimiser(name=self.optimiser, learning_rate=self.learning_rate).build(list(model.parameters()))

    def findings(
        self,
        session: Session,
        progress: Progress,
        private: PrivateOptimiser,
        *,
        delta: float,
        unnoised: str,
        **rest: Any,
    ) -> experiment.Findings:
        """What was found, with what was released.

        Args:
            session: of the run.
            progress: of its training.
            private: what trained.
            delta: of the account.
            unnoised: in words, figures that are measured without noise.
            rest: metrics and history.
        """
        released: dict[str, Any] = {}
        if self.privacy is not None:
            event = self.noted(followed(private.event(), self.after()), unnoised)
            released = {"event": event, "delta": delta, "accounted_at": schedule(self.steps, self.after())}
        return experiment.Findings(device=session.device_name, earlier_seconds=progress.earlier, **released, **rest)


def noise_figures(mechanism: ClippedWassersteinGradient) -> dict[str, float]:
    """Metrics that say what noise was added to what sensitivity."""
    return {
        "noise_multiplier": mechanism.noise_multiplier,
        "noise_std": mechanism.noise_std,
        "sensitivity": mechanism.objective.sensitivity,
    }
