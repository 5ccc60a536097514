"""From configuration to run table: every combination of an experiment's grid and seeds is one run.

A run is identified by the first 12 hex digits of the SHA-256 of its canonical JSON specification
(kind, parameters, seed). Runs that two experiments share are computed once. Imports no torch.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from wassdp.config import Config, Experiment, explain, kind_module
from wassdp.experiment import Parameters, PrivateParameters
from wassdp.files import canonical_json
from wassdp.labels import Label, labels


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
    def spec(self) -> dict[str, Any]:
        """What identifies this run."""
        return specification(self.kind, self.parameters, self.seed)


@dataclass(frozen=True)
class Excluded:
    """A combination that cannot be run, and why."""

    experiment: str
    name: str
    reason: str


@dataclass(frozen=True)
class Table:
    """All runs of a configuration. A run that several experiments share has a row for each."""

    runs: tuple[Run, ...]
    excluded: tuple[Excluded, ...]

    def unique(self) -> dict[str, Run]:
        """Run id to the first row with that id."""
        found: dict[str, Run] = {}
        for run in self.runs:
            found.setdefault(run.id, run)
        return found


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


def expand(config: Config) -> Table:
    """The run table of a configuration.

    Raises:
        ValueError: a parameter breaks its kind's schema (one line with experiment and key), or an
            experiment is left without a run.
    """
    runs: list[Run] = []
    excluded: list[Excluded] = []
    for experiment in config.experiments:
        kept = len(runs)
        for point in _points(experiment):
            parameters = _parameters(experiment, point)
            shown = " ".join(f"{key}={_short(value)}" for key, value in point.items())
            reason = parameters.impossible()
            if reason is not None:
                excluded.append(Excluded(experiment.name, shown or experiment.name, reason))
                continue
            module = kind_module(experiment.kind)
            for seed in experiment.seeds:
                if seed is None and not isinstance(parameters, PrivateParameters):
                    raise ValueError(
                        f"experiments.{experiment.name}.seeds: null, bits of the operating system, is for kinds that "
                        f"release something private from them; {experiment.kind} takes whole numbers"
                    )
                runs.append(
                    Run(
                        id=identify(specification(experiment.kind, parameters, seed)),
                        name=" ".join(part for part in (experiment.name, shown, f"seed={shown_seed(seed)}") if part),
                        experiment=experiment.name,
                        paper=experiment.paper,
                        kind=experiment.kind,
                        phase=module.PHASE,
                        seed=seed,
                        parameters=parameters,
                        label=Label(),
                    )
                )
        if len(runs) == kept:
            reasons = "; ".join(item.reason for item in excluded if item.experiment == experiment.name)
            raise ValueError(f"experiments.{experiment.name}.grid: leaves no run that is possible ({reasons})")
        runs[kept:] = _labelled(runs[kept:], experiment)
    return Table(runs=tuple(runs), excluded=tuple(excluded))


def _labelled(runs: list[Run], experiment: Experiment) -> list[Run]:
    seeds = len(experiment.seeds)
    try:
        named = labels(experiment.name, [run.parameters for run in runs[::seeds]], experiment.label)
    except ValueError as error:
        raise ValueError(f"experiments.{experiment.name}.{error}") from None
    return [replace(run, label=named[place // seeds]) for place, run in enumerate(runs)]


def shown_seed(seed: int | None) -> str:
    """A seed as names and tables have it."""
    return "system" if seed is None else str(seed)


def parse(spec: Mapping[str, Any]) -> tuple[str, Parameters, int | None]:
    """Kind, parameters and seed of a specification.

    Raises:
        ValueError: a key is missing, unknown, or breaks the kind's schema.
    """
    if set(spec) != {"kind", "parameters", "seed"}:
        raise ValueError(f"spec has the keys {', '.join(sorted(spec))}: must have kind, parameters, seed")
    seed = None if spec["seed"] is None else int(spec["seed"])
    return spec["kind"], validate_parameters(spec["kind"], spec["parameters"]), seed


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


def _points(experiment: Experiment) -> list[dict[str, Any]]:
    keys = list(experiment.grid)
    return [dict(zip(keys, values, strict=True)) for values in itertools.product(*experiment.grid.values())]


def _parameters(experiment: Experiment, point: Mapping[str, Any]) -> Parameters:
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
        target[last] = item
    try:
        return validate_parameters(experiment.kind, value)
    except ValueError as error:
        raise ValueError(f"experiments.{experiment.name}.parameters.{error}") from None


def _copy(value: Any) -> Any:
    return {key: _copy(item) for key, item in value.items()} if isinstance(value, dict) else value


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + " ".join(f"{key}={_short(item)}" for key, item in value.items()) + "}"
    if isinstance(value, float):  # a budget in a name is no smaller than the one that was asked for
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(value)
