"""The configuration as a table of runs and outputs, in one file: ``plan.json``.

It is planned once, by the main process, before any job. Rules, jobs on other machines, tables, ledger and report read
the file and nothing else of the configuration.
"""

from __future__ import annotations

import hashlib
import lzma
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from wassdp import complaints
from wassdp.config import AccountantChoice, Config, Experiment, FigureChoice, Slug, concerns, kind_module, output
from wassdp.experiments import KINDS, PHASES
from wassdp.files import first_there, json_lines, read_packed_text, read_text, write_bytes, write_text
from wassdp.labels import Label, labels, title
from wassdp.pipeline import durations, kept_plan, showable
from wassdp.pipeline.codes import Codes
from wassdp.pipeline.durations import Durations
from wassdp.pipeline.job import PlannedJob
from wassdp.pipeline.patterns import patterns
from wassdp.report import called
from wassdp.result import RunId, Strict
from wassdp.runs import Run, RunTable, expand, shown_seed, validate_parameters
from wassdp.selection import STATED, VALIDATION

OWN, KEPT = "plan.json", "plan.json.xz"
"""The plan of a results folder, and what is kept of it in a published one, where it is a fifteenth of the size."""


class PlannedRun(Strict):
    """One row of the run table. Plans written before there were labels have none."""

    run: RunId
    experiment: Slug
    paper: Slug
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
        name = _unlabelled(str(value["name"]), str(value.get("experiment")))
        return value | {"label": name, "method": name}

    @property
    def title(self) -> str:
        """What people call it; ``name`` has every parameter of the grid."""
        return title(self.experiment, self.label, seed=shown_seed(self.seed))


class PlannedOutput(Strict):
    """A figure or table to make.

    Its title and its paper's, both in words, its caption and the hash of its code are null in plans that were written
    before they were.
    """

    name: Slug
    kind: str
    options: dict[str, Any]
    title: str | None = None
    paper: str | None = None
    caption: str | None = None
    code: str | None = None


class PlannedRemark(Strict):
    """What the ledger says beside those runs that have these parameters."""

    text: str
    where: dict[str, Any] = Field(default_factory=dict)

    def concerns(self, spec: Mapping[str, Any]) -> bool:
        """Whether a run of this specification has the parameters."""
        return concerns(self.where, spec["parameters"])


class PlannedExperiment(Strict):
    """What to make of an experiment's runs, and what the ledger says of them.

    Seeds and number of runs are those of the configuration: a plan that was cut by hand has fewer rows. They and what
    is said of the search and the selection are null in plans written before they were recorded; so is the kind's
    headline, which is null for kinds that have none, too.
    """

    name: Slug
    paper: Slug
    kind: str
    accountants: tuple[str, ...]
    figures: tuple[PlannedOutput, ...]
    tables: tuple[PlannedOutput, ...]
    search: str | None = None
    selection: str | None = None
    compared: dict[str, Any] | None = None
    remarks: tuple[PlannedRemark, ...] = ()
    seeds: tuple[int | None, ...] | None = None
    configured_runs: int | None = None
    headline: str | None = None
    claim: str | None = None


class Plan(Strict):
    """The run table of one configuration."""

    preset: Slug
    runs: tuple[PlannedRun, ...]
    experiments: tuple[PlannedExperiment, ...]
    excluded: tuple[dict[str, str], ...]
    jobs: dict[RunId, PlannedJob] = Field(default={}, description="run to what it takes")
    datasets: dict[str, str] = Field(default={}, description="data set to the hash of the code behind its manifest")
    codes: dict[str, str] = Field(default={}, description="table of all runs to the hash of the code behind it")
    facts: str = Field(default="", description="hash of what the tables of all runs say of the configuration")
    patterns: dict[str, str] = Field(default={}, description="rule to a pattern of the runs that it computes")
    durations: dict[str, float] = Field(default={}, description="rule to about the seconds of one of its jobs")
    refusal: str | None = Field(
        default=None, exclude_if=lambda why: why is None, description="why its runs may be looked at but not computed"
    )

    @model_validator(mode="before")
    @classmethod
    def _unpacked(cls, value: Any) -> Any:
        return kept_plan.unpacked(value) if isinstance(value, dict) and "settings" in value else value

    def restored(self, runs: Collection[str]) -> Plan:
        """With nothing to compute of these runs, whose results were put back."""
        jobs = {
            run: job.model_copy(update={"phase": "restored"}) if run in runs else job for run, job in self.jobs.items()
        }
        return self.model_copy(update={"jobs": jobs, "patterns": _patterns(jobs)})

    def trimmed(self) -> Plan:
        """Without what only the computation needs."""
        emptied = {"jobs": {}, "datasets": {}, "codes": {}, "facts": "", "patterns": {}, "durations": {}}
        return self.model_copy(update=emptied)


def plan(config: Config, table: RunTable | None = None) -> Plan:
    """The plan of a configuration.

    Raises:
        ValueError: what `wassdp.runs.expand` raises, or an option of a figure or table is not allowed.
    """
    table = expand(config) if table is None else table
    codes = Codes(config, table)
    known = durations.read()
    rows = Counter(run.experiment for run in table.runs)
    shown: dict[str, dict[str, None]] = {}
    for run in table.runs:
        shown.setdefault(run.id, {})[run.experiment] = None
    experiments = {experiment.name: experiment for experiment in config.experiments}
    jobs = {
        run.id: _job(run, _asked(run, [experiments[name] for name in shown[run.id]]), codes, known)
        for run in table.unique().values()
    }
    planned = Plan(
        preset=config.preset,
        runs=tuple(
            PlannedRun(
                run=run.id,
                **{key: getattr(run, key) for key in ("experiment", "paper", "name", "kind", "phase", "seed", "spec")},
                **_words(run.label),
            )
            for run in table.runs
        ),
        experiments=tuple(
            PlannedExperiment(
                **{key: getattr(experiment, key) for key in ("name", "paper", "kind", "selection", "claim")},
                search=_search(config, experiment),
                compared=None if experiment.compared is None else experiment.compared.model_dump(),
                accountants=tuple(choice.key for choice in experiment.accountants),
                figures=tuple(
                    _output("figures", config, experiment, choice, codes, table) for choice in experiment.figures
                ),
                tables=tuple(
                    _output("tables", config, experiment, choice, codes, table) for choice in experiment.tables
                ),
                remarks=tuple(PlannedRemark(**remark.model_dump()) for remark in experiment.remarks),
                seeds=tuple(experiment.seeds),
                configured_runs=rows[experiment.name],
                headline=_headline(experiment, table),
            )
            for experiment in config.experiments
        ),
        excluded=tuple(
            {"experiment": item.experiment, "name": item.name, "reason": item.reason} for item in table.excluded
        ),
        jobs=jobs,
        patterns=_patterns(jobs),
        datasets={name: codes.dataset(name) for name in sorted(codes.datasets())},
        codes={"collect": codes.collect(), "ledger": codes.ledger(), "track": codes.track()},
        durations=dict(known.rules),
    )
    return planned.model_copy(update={"facts": _facts(planned)})


def _search(config: Config, experiment: Experiment) -> str | None:
    """What is said of the search, and of a number of trials that no frozen file has: nobody can count them."""
    files = () if config.frozen is None else config.frozen.trials
    counted = any(name.startswith(f"{experiment.name}.") for name in files)
    if counted or experiment.selection is None or VALIDATION.fullmatch(experiment.selection) is None:
        return experiment.search
    return "; ".join(filter(None, [experiment.search, STATED]))


def _facts(planned: Plan) -> str:
    """How figures and tables are made is their own affair."""
    outputs = {"experiments": {"__all__": {"figures", "tables"}}}
    told = planned.model_dump_json(include={"preset", "runs", "experiments"}, exclude=outputs)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _headline(experiment: Experiment, table: RunTable) -> str | None:
    """The headline of its first run; of its kind where it has none."""
    own = (run.parameters.measured_headline() for run in table.runs if run.experiment == experiment.name)
    return next(own, kind_module(experiment.kind).Parameters.headline)


def _asked(run: Run, experiments: Sequence[Experiment]) -> list[AccountantChoice]:
    """The accountants of all experiments that show a run, one for each name in its result.

    Raises:
        ValueError: two experiments mean different ones by a name.
    """
    found: dict[str, tuple[str, AccountantChoice]] = {}
    for experiment in experiments:
        for choice in experiment.accountants_of(run.spec["parameters"]):
            first, other = found.setdefault(choice.key, (experiment.name, choice))
            if other != choice:
                raise ValueError(
                    f"experiments.{experiment.name}.accountants = {choice.key!r}: has other options or another delta "
                    f"than in experiments.{first}, which shows the same run ({run.title}); must be the same, or have "
                    "a label"
                )
    return [choice for _, choice in found.values()]


def _job(run: Run, choices: Sequence[AccountantChoice], codes: Codes, known: Durations) -> PlannedJob:
    return PlannedJob(
        name=run.title,
        phase=run.phase,
        datasets=run.parameters.datasets(),
        code=codes.run(run),
        accountants=tuple(choice.model_dump() for choice in choices),
        accounting=codes.account(run, choices),
        seconds=known.of(run.id, run.experiment, run.kind, run.parameters.datasets()),
        spec=run.spec,
    )


def _patterns(jobs: Mapping[str, PlannedJob]) -> dict[str, str]:
    return patterns({run: job.phase for run, job in jobs.items()}, PHASES)


def _output(
    section: str, config: Config, experiment: Experiment, choice: FigureChoice, codes: Codes, table: RunTable
) -> PlannedOutput:
    try:
        made = output(section, choice)
    except ValueError as error:
        raise ValueError(f"experiments.{experiment.name}.{error}") from None
    showable.check(f"{section}.{choice.name}", made, config, experiment, table)
    code = codes.output(section, experiment, choice)
    title, paper = called.title(choice.name), called.title(experiment.paper)
    return PlannedOutput(**choice.model_dump(), title=title, paper=paper, caption=made.captioned(), code=code)


def relabelled(plan: Plan) -> Plan:
    """``plan`` with the labels and headlines of today where it was written before there were any.

    Runs of a kind that is no more keep what they are called.

    Raises:
        ValueError: the parameters of such a run are not those of its kind today.
    """
    told: dict[str, dict[str, Any]] = {}
    for experiment in plan.experiments:
        own_rows = [row for row in plan.runs if row.experiment == experiment.name]
        settings = {
            row.label: validate_parameters(row.kind, row.spec["parameters"])
            for row in own_rows
            if row.label == _unlabelled(row.name, row.experiment) and row.kind in KINDS.names()
        }
        words = dict(zip(settings, map(_words, labels(experiment.name, list(settings.values()))), strict=True))
        told |= {row.name: words[row.label] for row in own_rows if row.label in words}
    rows = tuple(row.model_copy(update=told.get(row.name, {})) for row in plan.runs)
    experiments = tuple(
        experiment.model_copy(update={"headline": kind_module(experiment.kind).Parameters.headline})
        if experiment.headline is None and experiment.kind in KINDS.names()
        else experiment
        for experiment in plan.experiments
    )
    return plan.model_copy(update={"runs": rows, "experiments": experiments})


def _words(label: Label) -> dict[str, Any]:
    return dict(zip(("label", "problem", "method", "privacy"), label, strict=True))


def _unlabelled(name: str, experiment: str) -> str:
    """What a plan without labels calls a setting: the name of its runs, without experiment and seed."""
    return re.sub(r" ?seed=\S+$", "", name.removeprefix(experiment).strip()) or name


def write(path: Path, value: Plan) -> None:
    """Write a plan, a run a line, whole or not at all. A file that holds it already is left as it is."""
    text = json_lines(value.model_dump(mode="json"))
    if not path.exists() or path.read_bytes() != text.encode():
        write_text(path, text)


def keep(path: Path, value: Plan) -> None:
    """Write what is to be kept of a plan beside its results, what runs of a setting share once; `read` takes it."""
    text = json_lines(kept_plan.packed(value.trimmed().model_dump(mode="json")))
    write_bytes(path, lzma.compress(text.encode(), preset=9))


def find(folder: Path) -> Path:
    """The plan of a results folder, or what is kept of it in a published one; `OWN` if there is neither."""
    return first_there(folder, OWN, KEPT)


def kept(folder: Path) -> list[Path]:
    """The plans of all published sets in a folder."""
    places = sorted({path.parent for name in (OWN, KEPT) for path in folder.glob(f"*/{name}")})
    return [find(place) for place in places]


def read(path: Path) -> Plan:
    """Read a plan.

    Raises:
        ValueError: the file is not a plan.
        OSError: the file cannot be read.
    """
    try:
        return Plan.model_validate_json((read_packed_text if path.suffix == ".xz" else read_text)(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = complaints.dotted(first["loc"])
        raise ValueError(f"{path}: is not a plan ({where + ': ' if where else ''}{first['msg']})") from None
