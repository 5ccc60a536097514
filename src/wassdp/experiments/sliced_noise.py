"""A printed noise of DP-SWD: what it was said to cost, what it costs, and what noise a budget needs. Table 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from wassdp import experiment
from wassdp.accounting import accountant, calibrate
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.reach import Reach
from wassdp.ranges import AccountedDelta, Epsilon, PositiveNoise
from wassdp.sections import Section

PHASE = "generate"
UPPER = "pld"


class PrintedNoise(Section):
    """One row of the table: batches without replacement, rows within distance 1, replace one."""

    problem: Annotated[str, Field(min_length=1, description="name of the row")]
    dimension: Annotated[int, Field(ge=2, description="d of the projected rows")]
    projections: Annotated[int, Field(ge=1, description="k")]
    records: Annotated[int, Field(ge=1, description="N")]
    batch: Annotated[int, Field(ge=1)]
    steps: Annotated[int, Field(ge=1, description="releases in all")]
    sigma: Annotated[PositiveNoise, Field(description="noise that was printed")]
    delta: AccountedDelta
    directions: Literal["iid", "orthogonal"] = "iid"


class Parameters(experiment.Parameters):
    """A setting, and the budgets for which the least noise is found."""

    setting: PrintedNoise
    budgets: tuple[Epsilon, ...] = (10.0, 1.0)

    def describe(self) -> experiment.Description:
        directions = ", orthogonal" if self.setting.directions == "orthogonal" else ""
        noise = experiment.asked(noise=self.setting.sigma)
        return experiment.Description(method=f"{self.setting.problem}{directions}", privacy=noise)

    def impossible(self) -> str | None:
        setting = self.setting
        if setting.batch > setting.records:
            return f"batch {setting.batch} is more than {setting.records} records"
        many = setting.projections > setting.dimension and setting.projections % setting.dimension
        if setting.directions == "orthogonal" and many:
            return f"{setting.projections} orthogonal directions are no multiple of dimension {setting.dimension}"
        return None

    def expected_event(self) -> Event:
        return _event(self.setting, self.setting.sigma)

    def reach(self) -> Reach:
        return Reach(1.0, "rows at distance 1, in feature space: whether valid records have them is not asked")

    def released(self, metrics: Mapping[str, float]) -> Event:
        return _event(self.setting, self.setting.sigma)

    def modules(self) -> tuple[str, ...]:
        return (accountant.module(UPPER),)


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """The release of the printed noise, for the accountants, and the least noise for each budget.

    Metrics: ``sigma/<epsilon>``, the least noise whose proven upper bound keeps that budget.
    """
    setting = parameters.setting
    needed = {
        f"sigma/{budget:g}": calibrate.noise_multiplier(
            lambda noise: _event(setting, noise),
            epsilon=budget,
            delta=setting.delta,
            accountant=accountant.load(UPPER),
        )
        for budget in parameters.budgets
    }
    return experiment.Findings(metrics=needed, event=_event(setting, setting.sigma), delta=setting.delta)


def _event(setting: PrintedNoise, sigma: float) -> Event:
    projections = SlicedProjections(
        noise_std=sigma,
        projections=setting.projections,
        dimension=setting.dimension,
        directions=setting.directions,
    )
    return repeated(
        SampledWithoutReplacement(event=projections, records=setting.records, batch=setting.batch), setting.steps
    )
