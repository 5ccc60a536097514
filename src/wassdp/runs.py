"""From configuration to run table: every combination of an experiment's grid and seeds is one run.

A run is identified by the first 12 hex digits of the SHA-256 of its canonical JSON specification
(kind, parameters, seed). Runs that two experiments share are computed once. Imports no torch.
"""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from wassdp.config import Config, Experiment, Seed, kind_module
from wassdp.experiment import Parameters, PrivateParameters
from wassdp.experiments import KINDS
from wassdp.explained import explain
from wassdp.files import canonical_json
from wassdp.labels import Label, labels, title
from wassdp.plugins import Plugins


@dataclass(frozen=True)
class Run:
    """One row of the run table."""

    id: str
    name: str
    experiment: str
    paper: str
    kind: str
    phase: str
    seed: int | None
    parameters: Parameters
    label: Label

    @property
    def title(self) -> str:
        """What people call it; ``name`` has every parameter of the grid."""
        return title(self.experiment, self.label.text, seed=shown_seed(self.seed))

    @property
    def spec(self) -> dict[str, Any]:
        """What identifies this run."""
        return specification(self.kind, self.parameters, self.seed)


@dataclass(frozen=True)
class Excluded:
    """A combination that cannot be run, and why."""

    experiment: str
    name: str
    reason: str
    label: Label

    @property
    def title(self) -> str:
        """What people call it."""
        return title(self.experiment, self.label.text)


@dataclass(frozen=True)
class RunTable:
    """All runs of a configuration. A run that several experiments share has a row for each."""

    runs: tuple[Run, ...]
    excluded: tuple[Excluded, ...]

    def unique(self) -> dict[str, Run]:
        """Run id to the first row with that id."""
        first: dict[str, Run] = {}
        for run in self.runs:
            first.setdefault(run.id, run)
        return first


def specification(kind: str, parameters: Parameters, seed: int | None) -> dict[str, Any]:
    """The JSON value that identifies a run."""
    return {"kind": kind, "parameters": parameters.model_dump(mode="json"), "seed": seed}


def identify(spec: Mapping[str, Any]) -> str:
    """The 12-digit id of a specification; the order of its keys does not matter.

    >>> identify({"kind": "a", "seed": 0}) == identify({"seed": 0, "kind": "a"})
    True
    """
    return digest(spec)[:12]


def digest(spec: Mapping[str, Any]) -> str:
    """All 64 hex digits of what `identify` gives twelve of."""
    return hashlib.sha256(canonical_json(spec).encode()).hexdigest()


class _Specification(BaseModel):
    """The keys of a specification, and nothing that has to be turned into what they may be."""

    model_config = ConfigDict(strict=True, extra="forbid")

    kind: str
    parameters: dict[str, Any]
    seed: Seed | None


_NAMED = (
    "with release true, must be null, bits of the operating system: whoever knows a seed, which the result names, can "
    "draw the noise again"
)
_UNSEEDED = "bits of the operating system, is for kinds that release something private from them"
MOST_RUNS = 100_000
"""Rows of a run table: what one folder, one database and one workflow can hold is far below."""
_MANY = f"gives more than {MOST_RUNS:,} runs in all; split the set"


def expand(config: Config) -> RunTable:
    """The run table of a configuration.

    Raises:
        ValueError: a parameter breaks its kind's schema (one line with experiment and key), two combinations of an
            experiment are one run, or it is left without a run.
    """
    runs: list[Run] = []
    excluded: list[Excluded] = []
    for experiment in config.experiments:
        found: list[tuple[Parameters, str]] = []
        seen: dict[str, str] = {}
        for point in points(experiment):
            found.append((parameters_at(experiment, point), _shown(point)))
            _refuse_twice(experiment, *found[-1], seen)
            if len(found) * len(experiment.seeds) + len(runs) > MOST_RUNS:
                raise ValueError(f"experiments.{experiment.name}.grid: {_MANY}")
        reasons = [parameters.impossible() for parameters, _ in found]
        possible = [point for point, reason in zip(found, reasons, strict=True) if reason is None]
        rest = [
            Excluded(experiment.name, shown or experiment.name, reason, label)
            for (_, shown), label, reason in zip(found, _labels(experiment, found), reasons, strict=True)
            if reason is not None
        ]
        if not possible:
            raise ValueError(f"experiments.{experiment.name}.{_impossible(experiment, found)}")
        excluded += rest
        for (parameters, shown), label in zip(possible, _labels(experiment, possible), strict=True):
            runs += [_run(experiment, parameters, shown, label, seed) for seed in experiment.seeds]
    return RunTable(runs=tuple(runs), excluded=tuple(excluded))


def _impossible(experiment: Experiment, found: Sequence[tuple[Parameters, str]]) -> str:
    """Why none of an experiment's combinations can be run, with the keys that the reasons are about."""
    reasons = dict.fromkeys(_placed(experiment, parameters, parameters.impossible() or "") for parameters, _ in found)
    places = [key for key in ("settings", "grid") if getattr(experiment, key)]
    if not places:
        (reason,) = reasons
        return reason if reason.startswith("parameters.") else f"parameters: cannot be run: {reason}"
    return f"{' and '.join(places)}: leaves no run that is possible ({'; '.join(reasons)})"


def _placed(experiment: Experiment, parameters: Parameters, reason: str) -> str:
    """A reason that begins with a parameter's name and value, with its key and as other complaints have them."""
    begin = re.match(r"(?P<name>[\w.]+)(?: =)? (?P<value>\S+?):? ", reason)
    if begin is None:
        return reason
    named = begin["name"]
    keys = [
        key
        for key, value in _leaves(parameters.model_dump(mode="json"))
        if f".{key}".endswith(f".{named}") and begin["value"] in (str(value), repr(value), _short(value))
    ]
    if len(keys) != 1:
        return reason
    # What varies may be the whole section that the key is in.
    given = {*experiment.grid, *(key for setting in experiment.settings for key in setting)}
    varied = any(f"{keys[0]}.".startswith(f"{key}.") for key in given)
    return f"{'' if varied else 'parameters.'}{keys[0]} = {begin['value']}: {reason[begin.end() :]}"


def _leaves(value: Mapping[str, Any], inside: str = "") -> Iterator[tuple[str, Any]]:
    """Parameters by their dotted names, without sections."""
    for key, item in value.items():
        if isinstance(item, Mapping):
            yield from _leaves(item, f"{inside}{key}.")
        else:
            yield f"{inside}{key}", item


def _refuse_twice(experiment: Experiment, parameters: Parameters, shown: str, seen: dict[str, str]) -> None:
    """Refuse a combination that is another's run: a table of runs would have it twice, and count it twice."""
    content = canonical_json(parameters.model_dump(mode="json"))
    if (first := seen.get(content)) is None:
        seen[content] = shown
        return
    place = " and ".join(key for key in ("settings", "grid") if getattr(experiment, key))
    same = "stands there twice" if shown == first else f"is the same run as {first or '{}'}"
    raise ValueError(f"experiments.{experiment.name}.{place}: {shown or '{}'} {same}; must be there once")


def _run(experiment: Experiment, parameters: Parameters, shown: str, label: Label, seed: int | None) -> Run:
    if seed is None and not isinstance(parameters, PrivateParameters):
        raise ValueError(
            f"experiments.{experiment.name}.seeds: null, {_UNSEEDED}; {experiment.kind} takes whole numbers"
        )
    if _can_be_drawn_again(parameters, seed):
        raise ValueError(f"experiments.{experiment.name}.seeds: {seed}, {_NAMED}")
    return Run(
        id=identify(specification(experiment.kind, parameters, seed)),
        name=" ".join(part for part in (experiment.name, shown, f"seed={shown_seed(seed)}") if part),
        experiment=experiment.name,
        paper=experiment.paper,
        kind=experiment.kind,
        phase=kind_module(experiment.kind).PHASE,
        seed=seed,
        parameters=parameters,
        label=label,
    )


def _labels(experiment: Experiment, points: Sequence[tuple[Parameters, str]]) -> list[Label]:
    try:
        return labels(experiment.name, [parameters for parameters, _ in points], experiment.label)
    except ValueError as error:
        raise ValueError(f"experiments.{experiment.name}.{error}") from None


def shown_seed(seed: int | None) -> str:
    """A seed as names and tables have it."""
    return "system" if seed is None else str(seed)


def parse(spec: Mapping[str, Any]) -> tuple[str, Parameters, int | None]:
    """Kind, parameters and seed of a specification.

    Raises:
        ValueError: one line: a key is missing, unknown, or breaks its own or the kind's schema.
    """
    try:
        found = _Specification.model_validate(dict(spec))
    except ValidationError as error:
        raise ValueError(f"spec.{explain(error, spec, _Specification)}") from None
    try:
        KINDS.known(found.kind)
    except ValueError as error:
        raise ValueError(f"spec.{error}") from None
    try:
        parameters = validate_parameters(found.kind, found.parameters)
    except ValueError as error:
        raise ValueError(f"spec.parameters.{error}") from None
    if found.seed is None and not isinstance(parameters, PrivateParameters):
        raise ValueError(f"spec.seed = None: {_UNSEEDED}; {found.kind} takes whole numbers")
    if _can_be_drawn_again(parameters, found.seed):
        raise ValueError(f"spec.seed = {found.seed}: {_NAMED}")
    return found.kind, parameters, found.seed


def _can_be_drawn_again(parameters: Parameters, seed: int | None) -> bool:
    return seed is not None and isinstance(parameters, PrivateParameters) and parameters.release


def validate_parameters(kind: str, value: Any) -> Parameters:
    """Parameters of a kind.

    Raises:
        ValueError: one line naming the key, the value and what is allowed.
    """
    model: type[Parameters] = kind_module(kind).Parameters
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise ValueError(explain(error, value, model)) from None


def points(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Every combination of an experiment's settings and grid, one after the other: dotted parameter name to value."""
    keys = list(experiment.grid)
    listed = [_listed(experiment, key, values) for key, values in experiment.grid.items()]
    for setting in experiment.settings or [{}]:
        for values in itertools.product(*listed):
            yield dict(zip(keys, values, strict=True)) | setting


def _listed(experiment: Experiment, key: str, values: Sequence[Any]) -> list[Any]:
    """Values of a key of the grid; where it names a plug-in, ``*`` in a name stands for any letters.

    Raises:
        ValueError: no plug-in is called so.
    """
    field = kind_module(experiment.kind).Parameters.model_fields.get(key)
    plugins = next((item for item in (field.metadata if field else ()) if isinstance(item, Plugins)), None)
    found: list[Any] = []
    for value in values:
        if plugins is None or not isinstance(value, str) or "*" not in value:
            found.append(value)
            continue
        fitting = fnmatch.filter(plugins.names(), value)
        if not fitting:
            known = plugins.listed or ", ".join(plugins.names())
            raise ValueError(f"experiments.{experiment.name}.grid.{key} = {value!r}: fits none of {known}")
        found.extend(name for name in fitting if name not in found)
    return found


def parameters_at(experiment: Experiment, point: Mapping[str, Any]) -> Parameters:
    """An experiment's parameters with those of ``point``, by dotted names, in place of its own.

    Raises:
        ValueError: one line naming the experiment, the key, the value and what is allowed.
    """
    value: dict[str, Any] = _copy(experiment.parameters)
    for dotted, item in point.items():
        target = value
        *parents, last = dotted.split(".")
        for parent in parents:
            below = target.setdefault(parent, {})
            if not isinstance(below, dict):
                raise ValueError(
                    f"experiments.{experiment.name}.grid.{dotted}: {parent} is not a section of parameters"
                )
            target = below
        target[last] = _copy(item)
    try:
        return validate_parameters(experiment.kind, value)
    except ValueError as error:
        raise ValueError(f"experiments.{experiment.name}.parameters.{error}") from None


def _copy(value: Any) -> Any:
    return {key: _copy(item) for key, item in value.items()} if isinstance(value, dict) else value


def _shown(point: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={_short(value)}" for key, value in point.items())


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + " ".join(f"{key}={_short(item)}" for key, item in value.items()) + "}"
    if isinstance(value, float):  # a budget in a name is no smaller than the one that was asked for
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(value)
