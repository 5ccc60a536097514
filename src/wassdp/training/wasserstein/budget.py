"""The noise that a budget asks of clipped Wasserstein gradients, by a proven accountant or as published."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wassdp import experiment
from wassdp.accounting import accountant
from wassdp.accounting.event import Event
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import Objective
from wassdp.result import Schedule, evenly
from wassdp.sections import Section
from wassdp.training.budget import least_noise


class Calibration(Section):
    """A budget and how its noise is found; delta is the experiment's."""

    epsilon: Annotated[float, Field(gt=0)]
    accountant: Literal["pld", "gdp", "gdp_uniform"] = Field(
        default="pld", description="pld: proven. gdp, gdp_uniform: the limits that the paper may have used; no bounds"
    )
    bound: Literal["tight", "published"] = Field(
        default="tight", description="of the sensitivity: this project's, or the paper's, up to twice as large"
    )

    def describe(self) -> str:
        """The budget that was asked for, and by what."""
        bound = ", published bound" if self.bound == "published" else ""
        return experiment.asked(epsilon=self.epsilon) + (
            "" if self.accountant == "pld" else f" by {self.accountant}{bound}"
        )

    def modules(self) -> tuple[str, ...]:
        """The accountant's module, whose code decides the noise."""
        return (accountant.module(self.accountant),)

    def noise_multiplier(self, objective: Objective, *, steps: int, delta: float) -> float:
        """The smallest noise multiplier whose epsilon, by the chosen accountant, is at most the budget.

        Raises:
            ValueError: no noise keeps the budget, or every noise does.
        """

        def event(noise: float) -> Event:
            released = ClippedWassersteinGradient(objective=objective, noise_multiplier=noise).event(steps)
            # The budget is asked for under the chosen bound, whatever else the run proves.
            return (released.under_published() if self.bound == "published" else None) or released

        return least_noise(event, epsilon=self.epsilon, delta=delta, accounted_by=self.accountant)


def schedule(steps: int) -> Schedule:
    """Ten steps, evenly spread, at which the budget is accounted, the last one among them."""
    accounted = evenly(steps, most=10)
    return Schedule(axis="step", positions=tuple(map(float, accounted)), steps=accounted)
