"""The run table as a file: ``plan.json``, what every later step knows of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from wassdp.config import Config
from wassdp.files import write_json
from wassdp.result import RunId, Strict
from wassdp.runs import Table, expand


class PlannedRun(Strict):
    """One row of the run table. Plans written before there were labels have none."""

    run: RunId
    experiment: str
    paper: str
    name: str
    kind: str
    phase: str
    seed: int | None
    label: str = ""
    problem: str = ""
    method: str = ""
    privacy: str = ""
    spec: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _labelled(cls, value: Any) -> Any:
        if not isinstance(value, dict) or value.get("label") or "name" not in value:
            return value
        name = re.sub(r" ?seed=\S+$", "", str(value["name"]).removeprefix(str(value.get("experiment"))).strip())
        return value | {"label": name or value["name"], "method": name}


class PlannedOutput(Strict):
    """A figure or table to make."""

    name: str
    kind: str
    options: dict[str, Any]


class PlannedRemark(Strict):
    """What the ledger says beside those runs that have these parameters."""

    text: str
    where: dict[str, Any] = Field(default_factory=dict)

    def concerns(self, spec: Mapping[str, Any]) -> bool:
        """Whether a run of this specification has the parameters."""
        return all(_parameter(spec["parameters"], name) == value for name, value in self.where.items())


class PlannedExperiment(Strict):
    """What to make of an experiment's runs, and what the ledger says of them.

    Seeds and number of runs are those of the configuration: a plan that was cut by hand has fewer rows. They and what
    is said of the search are null in plans written before they were recorded.
    """

    name: str
    paper: str
    kind: str
    accountants: tuple[str, ...]
    figures: tuple[PlannedOutput, ...]
    tables: tuple[PlannedOutput, ...]
    search: str | None = None
    remarks: tuple[PlannedRemark, ...] = ()
    seeds: tuple[int | None, ...] | None = None
    configured_runs: int | None = None


class Plan(Strict):
    """The run table of one configuration."""

    preset: str
    runs: tuple[PlannedRun, ...]
    experiments: tuple[PlannedExperiment, ...]
    excluded: tuple[dict[str, str], ...]


def plan(config: Config, table: Table | None = None) -> Plan:
    """The plan of a configuration."""
    table = expand(config) if table is None else table
    return Plan(
        preset=config.preset,
        runs=tuple(
            PlannedRun(
                run=run.id,
                experiment=run.experiment,
                paper=run.paper,
                name=run.name,
                kind=run.kind,
                phase=run.phase,
                seed=run.seed,
                label=run.label.text,
                problem=run.label.problem,
                method=run.label.method,
                privacy=run.label.privacy,
                spec=run.spec,
            )
            for run in table.runs
        ),
        experiments=tuple(
            PlannedExperiment(
                name=experiment.name,
                paper=experiment.paper,
                kind=experiment.kind,
                accountants=tuple(choice.key for choice in experiment.accountants),
                figures=tuple(PlannedOutput(**choice.model_dump()) for choice in experiment.figures),
                tables=tuple(PlannedOutput(**choice.model_dump()) for choice in experiment.tables),
                search=experiment.search,
                remarks=tuple(PlannedRemark(**remark.model_dump()) for remark in experiment.remarks),
                seeds=tuple(experiment.seeds),
                configured_runs=sum(run.experiment == experiment.name for run in table.runs),
            )
            for experiment in config.experiments
        ),
        excluded=tuple(
            {"experiment": item.experiment, "name": item.name, "reason": item.reason} for item in table.excluded
        ),
    )


def _parameter(parameters: Any, dotted: str) -> Any:
    """The parameter of that name; None where there is none."""
    for part in dotted.split("."):
        parameters = parameters.get(part) if isinstance(parameters, Mapping) else None
    return parameters


def write(path: Path, value: Plan) -> None:
    """Write a plan, whole or not at all; equal plans give equal bytes."""
    write_json(path, value.model_dump(mode="json"))


def read(path: Path) -> Plan:
    """Read a plan.

    Raises:
        ValueError: the file is not a plan.
        OSError: the file cannot be read.
    """
    try:
        return Plan.model_validate_json(path.read_text())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{path}: is not a plan ({where + ': ' if where else ''}{first['msg']})") from None
