"""A study: one method at one budget, what may be chosen for it, and what a trial of it is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

from wassdp import data
from wassdp.accounting.guarantee import Guarantee
from wassdp.code import chosen
from wassdp.config import Config, Experiment, parameter
from wassdp.pipeline import provenance
from wassdp.pipeline.account import account
from wassdp.pipeline.execute import execute
from wassdp.pipeline.run_codes import run_code
from wassdp.protocol import trials
from wassdp.protocol.propose import propose
from wassdp.protocol.trials import Trial
from wassdp.result import Outcome, load_outcome
from wassdp.runs import identify, parameters_at, points, specification
from wassdp.selection import Compared, Protocol, Range, Values, sha256

ON_VALIDATION = {"judged_on": "validation"}


@dataclass(frozen=True)
class Study:
    """One point of the grid of an experiment that declares a space.

    Args:
        experiment: it.
        point: dotted parameter name to value.
        protocol: how many trials, and their seed.
    """

    experiment: Experiment
    point: dict[str, Any]
    protocol: Protocol

    @property
    def compared(self) -> Compared:
        """Whose objective is sought."""
        assert self.experiment.compared is not None, "studies() lets others through only"
        return self.experiment.compared

    @property
    def name(self) -> str:
        """Of its file of trials: another space, grid point, objective or seed is another study."""
        about = self.experiment.model_dump(mode="json", include={"kind", "parameters", "space"})
        about |= {"objective": self.compared.objective.model_dump(), "point": self.point, "seed": self.protocol.seed}
        return f"{self.experiment.name}.{sha256(about)[:8]}"

    @property
    def title(self) -> str:
        """What people call it."""
        return f"{self.experiment.name} {self.at}".rstrip()

    @property
    def at(self) -> str:
        """Its point of the grid in words; empty where there is no grid."""
        return " ".join(f"{key}={value}" for key, value in self.point.items())

    def file(self, store: Path) -> Path:
        """Where its trials are kept."""
        return store / f"{self.name}{trials.SUFFIX}"

    def codes(self, done: Sequence[Trial]) -> int:
        """How many states of the code are behind trials that ought to have one: 0 where none says.

        Another choice may load other modules, so only trials with equal ones are compared. Those that failed, and those
        of a setting that today's code does not take, are left out.
        """
        alike: dict[frozenset[str], set[str]] = {}
        for trial in done:
            with contextlib.suppress(ValueError):
                parameters = parameters_at(self.experiment, self.point | trial.setting | ON_VALIDATION)
                modules = chosen(parameters) | frozenset(map(data.SETS.module, parameters.datasets()))
                alike.setdefault(modules, set()).update(filter(None, [trial.code]))
        return max(map(len, alike.values()), default=0)

    def refuse_more(self, done: Sequence[Trial]) -> None:
        """Refuse a number of trials below that of those that were made: each of them counts.

        Raises:
            ValueError: it is.
        """
        if len(done) > self.protocol.trials:
            asked = f"protocol.trials = {self.protocol.trials}"
            raise ValueError(f"{asked}: must be at least {len(done)}, since {self.title} has so many")

    def verify(self, done: Sequence[Trial], runs: Path) -> None:
        """Refuse trials that are not what trying their settings within the budget comes to.

        Args:
            done: trials so far.
            runs: folder of the runs' folders; an outcome that is there no more is not looked at.

        Raises:
            ValueError: one line naming a trial's epsilon, run or value, and what it has to be.
        """
        for trial in done:
            where = f"{self.title}, trial {trial.number}"
            try:
                parameters = parameters_at(self.experiment, self.point | trial.setting | ON_VALIDATION)
            except ValueError:  # of a setting that today's code does not take nothing more can be said
                continue
            budget = parameter(parameters.model_dump(), self.compared.epsilon or "")
            if isinstance(budget, int | float) and trial.epsilon is not None and trial.epsilon > budget:
                raise ValueError(f"{where}: epsilon = {trial.epsilon!r}: must be at most its budget, {budget!r}")
            if trial.run is None:
                continue
            spec = specification(self.experiment.kind, parameters, self.protocol.seed)
            if trial.run != identify(spec):
                raise ValueError(f"{where}: run = {trial.run!r}: must be {identify(spec)}, the run of its setting")
            outcome = _there(runs / trial.run / "outcome.json", spec, trial.code or "")
            value = None if outcome is None else self.compared.objective.value(outcome.metrics)
            if value is not None and value != trial.value:
                raise ValueError(
                    f"{where}: value = {trial.value!r}: must be {value!r}, as its outcome in {runs} has it"
                )

    def next(self, done: Sequence[Trial], runs: Path) -> Trial:
        """Try the next setting, on validation records alone.

        Args:
            done: trials so far.
            runs: folder of the runs' folders.

        Raises:
            DatasetUnavailable: the dataset cannot be had.
        """
        setting = propose(self.experiment.space, done, seed=f"{self.protocol.seed}/{self.name}")
        commit = provenance.commit()
        try:
            found = self._measured(setting, runs)
        except (ValueError, FloatingPointError) as error:
            found = {"value": None, "reason": " ".join(str(error).split()), "state": "failed"}
        return Trial(number=len(done), setting=setting, commit=commit, **found)

    def _measured(self, setting: dict[str, Any], runs: Path) -> dict[str, Any]:
        """What a setting came to.

        Raises:
            ValueError: it cannot be run.
            FloatingPointError: it diverged.
        """
        parameters = parameters_at(self.experiment, self.point | setting | ON_VALIDATION)
        if reason := parameters.impossible():
            raise ValueError(reason)
        spec = specification(self.experiment.kind, parameters, self.protocol.seed)
        run = identify(spec)
        out = runs / run / "outcome.json"
        outcome = _there(out, spec, run_code(self.experiment.kind, parameters)) or execute(spec, out)
        asked = self.experiment.accountants_of(spec["parameters"])
        proven = account(out, out.with_name("result.json"), asked).guarantees
        objective = self.compared.objective
        named = (objective.metric, *objective.at_least, *objective.ratio_at_least)
        return {
            "value": objective.value(outcome.metrics),
            "metrics": {name: outcome.metrics[name] for name in named if name in outcome.metrics},
            "epsilon": least_proven(proven, outcome.delta),
            "delta": outcome.delta,
            "seconds": round(outcome.provenance.seconds, 3),
            "peak_memory_mib": round(outcome.provenance.peak_memory_mib, 1),
            "run": run,
            "code": outcome.provenance.code,
            "state": "complete",
        }


def least_proven(proven: Iterable[Guarantee], delta: float | None) -> float | None:
    """The least proven epsilon at ``delta``: one by an accountant that was asked at a larger delta is no such."""
    return min(
        (
            item.epsilon
            for item in proven
            if item.kind == "upper" and item.epsilon is not None and delta is not None and item.delta <= delta
        ),
        default=None,
    )


def _there(out: Path, spec: Mapping[str, Any], code: str) -> Outcome | None:
    """The outcome of this very run that was finished before, by the same code."""
    try:
        outcome = load_outcome(out)
    except (OSError, ValueError):
        return None
    own = outcome.run == identify(spec) and outcome.spec == spec
    return outcome if own and outcome.provenance.code == code else None


def studies(config: Config, only: Sequence[str] = ()) -> list[Study]:
    """All studies of a configuration, or those of some of its experiments.

    Raises:
        ValueError: no search is declared, an experiment does not exist or cannot be searched.
    """
    if config.protocol is None:
        raise ValueError("protocol: is missing; nothing says how many trials every method has")
    searched = {experiment.name: experiment for experiment in config.experiments if experiment.space}
    for name in only:
        if name not in searched:
            raise ValueError(f"experiment = {name!r}: must be one of {', '.join(searched)}")
    found = []
    for name in dict.fromkeys(only or searched):  # one that is named twice is searched once
        experiment = searched[name]
        if experiment.compared is None:
            raise ValueError(f"experiments.{name}.compared: is missing; its objective is what is sought")
        for point in points(experiment):
            found.append(Study(experiment, point, config.protocol))
            _refuse_impossible(found[-1])
    return found


def _refuse_impossible(study: Study) -> None:
    """Refuse a key that does not exist, and an end or a value at which trials would fail: their method would lose them.

    One key at a time is moved away from the beginning of all, then each pair of keys. Of whole numbers the second is
    looked at too: a method may have even ones alone.

    Raises:
        ValueError: there is one; the message names it.
    """
    where = f"experiments.{study.experiment.name}.space"
    space = {key: _ends(choice) for key, choice in study.experiment.space.items()}
    start = {key: ends[0] for key, ends in space.items()}

    def reason(moved: dict[str, Any]) -> str | None:
        return parameters_at(study.experiment, study.point | start | moved | ON_VALIDATION).impossible()

    at_start = reason({})
    for key, (first, *others) in space.items():
        reasons = [(first, at_start), *((end, reason({key: end})) for end in others)]
        failing = [(end, why) for end, why in reasons if why]
        # Where all fail it is another key that makes them.
        if failing and len(failing) < len(reasons):
            end, because = failing[0]
            raise ValueError(f"{where}.{key} = {end!r}: a trial of it would fail ({because})")
    if at_start:
        raise ValueError(f"{where}: a trial at its beginning would fail ({at_start})")
    for pair in combinations(space, 2):
        for ends in product(*(space[key] for key in pair)):
            if why := reason(dict(zip(pair, ends, strict=True))):
                named = " with ".join(f"{key} = {end!r}" for key, end in zip(pair, ends, strict=True))
                raise ValueError(f"{where}: {named}: a trial of both would fail ({why})")


def _ends(choice: Range | Values) -> list[Any]:
    """The ends of a range, with whole numbers the one after the first, or all values."""
    if isinstance(choice, Values):
        return list(choice.values)
    if choice.integer:
        return list(dict.fromkeys([int(choice.low), int(choice.low) + 1, int(choice.high)]))
    return [choice.low, choice.high]
