"""The noise that a budget asks of clipped Wasserstein gradients, by a proven accountant or as published."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wassdp import experiment
from wassdp.accounting import accountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import Objective
from wassdp.ranges import Epsilon
from wassdp.result import Schedule, evenly
from wassdp.sections import Section
from wassdp.training.budget import least_noise


class Calibration(Section):
    """A budget and how its noise is found; delta is the experiment's."""

    epsilon: Epsilon
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

    def noise_multiplier(
        self, objective: Objective, *, steps: int, delta: float, after: Composed | None = None
    ) -> float:
        """The smallest noise multiplier whose epsilon, by the chosen accountant, is at most the budget.

        Args:
            objective: whose gradients are released.
            steps: how often.
            delta: of the account.
            after: what else is released of the same records, after the last step.

        Raises:
            ValueError: no noise keeps the budget, or every noise does.
        """

        def event(noise: float) -> Event:
            steps_alone = ClippedWassersteinGradient(objective=objective, noise_multiplier=noise).event(steps)
            released = followed(steps_alone, after)
            # The budget is asked for under the chosen bound, whatever else the run proves.
            return (released.under_published() if self.bound == "published" else None) or released

        return least_noise(event, epsilon=self.epsilon, delta=delta, accounted_by=self.accountant)


def followed(event: Composed, after: Composed | None) -> Composed:
    """``event`` of batches, and then ``after`` of all records, if anything."""
    if after is None:
        return event
    steps = event.events[0]
    assert isinstance(steps, SampledWithoutReplacement), "batches are drawn without replacement"
    # Everybody is a batch, too: releases that are composed share one sampling.
    everybody = [SampledWithoutReplacement(event=e, records=steps.records, batch=steps.records) for e in after.events]
    return Composed(events=(*event.events, *everybody), counts=(*event.counts, *after.counts))


def schedule(steps: int, after: Composed | None = None) -> Schedule:
    """Ten steps, evenly spread, at which the budget is accounted; the last one with what comes after it."""
    accounted = evenly(steps, most=10)
    releases = (*accounted[:-1], accounted[-1] + (0 if after is None else after.steps))
    return Schedule(axis="step", positions=tuple(map(float, accounted)), steps=releases)
