"""The noise that a budget asks of clipped Wasserstein gradients, by a proven accountant or as published."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from wassdp import experiment
from wassdp.accounting import accountant, calibrate
from wassdp.result import Schedule
from wassdp.sections import Section

MOST_NOISE = 1e6
ACCOUNTED = 10
"""Steps, evenly spread, at which every accountant accounts for a run."""

if TYPE_CHECKING:
    from wassdp.accounting.event import Event
    from wassdp.mechanisms.wasserstein_objective import Objective


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


def noise_multiplier(chosen: Calibration | None, objective: Objective, *, steps: int, delta: float) -> float:
    """The smallest noise multiplier whose epsilon, by the chosen accountant, is at most the budget; 0 without one.

    Raises:
        ValueError: no noise keeps the budget.
    """
    from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient

    if chosen is None:
        return 0.0
    found = accountant.load(chosen.accountant)

    def event(noise: float) -> Event:
        released = ClippedWassersteinGradient(objective=objective, noise_multiplier=noise).event(steps)
        # The budget is asked for under the chosen bound, whatever else the run proves.
        return (released.under_published() if chosen.bound == "published" else None) or released

    if chosen.accountant == "pld":
        return calibrate.noise_multiplier(event, epsilon=chosen.epsilon, delta=delta, accountant=found)
    # The project calibrates by proven bounds only; this is what a user of the published formula does.
    low, high = MOST_NOISE**-1, MOST_NOISE
    if found.epsilon(event(high), delta).value > chosen.epsilon:
        raise ValueError(f"epsilon = {chosen.epsilon!r}: no noise up to {MOST_NOISE:g} reaches it")
    if found.epsilon(event(low), delta).value <= chosen.epsilon:
        raise ValueError(f"epsilon = {chosen.epsilon!r}: even a noise of {low:g} keeps it")
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if found.epsilon(event(middle), delta).value <= chosen.epsilon else (middle, high)
    return high


def schedule(steps: int) -> Schedule:
    """Steps at which the budget is accounted, the last one among them."""
    count = min(ACCOUNTED, steps)
    done = [-(-steps * place // count) for place in range(1, count + 1)]
    return Schedule(axis="step", positions=tuple(float(each) for each in done), steps=tuple(done))
