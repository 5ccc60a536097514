"""A set: a plan, its finished results to the byte, and where each of them comes from; several become one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.pipeline.plan import Plan, PlannedExperiment
from wassdp.publish.joint_plan import joint_plan
from wassdp.publish.origin import statistics, working_tree
from wassdp.result import Result

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ResultSet:
    """What a folder holds of a plan.

    Args:
        plan: its runs, figures and tables.
        raw: run to the bytes of its result file, in the plan's order.
        results: run to result.
        parts: what was computed or published together, each with the SHA-256 of its ``results``; every run is in one.
    """

    plan: Plan
    raw: Mapping[str, bytes]
    results: Mapping[str, Result]
    parts: tuple[Mapping[str, Any], ...]

    @property
    def missing(self) -> list[str]:
        """The runs of the plan that are not finished, in words."""
        rows = {row.run: row.title for row in reversed(self.plan.runs) if row.run not in self.raw}
        return [f"run {run} ({name})" for run, name in reversed(rows.items())]

    def remarked(self, remark: str | None) -> ResultSet:
        """The set with this remark on all of its parts; empty removes theirs, None leaves them."""
        if remark is None:
            return self
        return replace(self, parts=tuple({**part, "remark": remark or None} for part in self.parts))

    def of(self, experiments: Collection[str]) -> ResultSet:
        """The finished runs of these experiments, as theirs alone."""
        finished = (row for row in self.plan.runs if row.run in self.raw)
        plan = self.plan.model_copy(
            update={
                "runs": tuple(row for row in finished if row.experiment in experiments),
                "experiments": tuple(item for item in self.plan.experiments if item.name in experiments),
                "excluded": tuple(item for item in self.plan.excluded if item["experiment"] in experiments),
            }
        )
        return _consistent(plan, self.raw, self.results, self.parts)

    def split(self, home: Callable[[PlannedExperiment], str]) -> Iterator[tuple[str, ResultSet]]:
        """The finished runs by where their experiments belong."""
        begun = {row.experiment for row in self.plan.runs if row.run in self.raw}
        places: dict[str, list[str]] = {}
        for experiment in self.plan.experiments:
            if experiment.name in begun:
                places.setdefault(home(experiment), []).append(experiment.name)
        for name, experiments in places.items():
            part = self.of(experiments)
            yield name, replace(part, plan=part.plan.trimmed().model_copy(update={"preset": name}))


def read(folder: Path, plan: Plan | None = None, *, published: Path | None = None) -> ResultSet:
    """The finished results of a results folder or a published one.

    A line is logged where a folder that was not published yet lies in no Git checkout: its commit is not known then.

    Args:
        folder: where they are.
        plan: its plan; None: the folder's own.
        published: folder of all published results, whose changes are none of the working tree.

    Raises:
        ValueError: there is no plan or no result; a result is not what was written, or belongs to another run.
    """
    path = plans.find(folder)
    if plan is None and not path.is_file():
        raise ValueError(f"{str(folder)!r}: must be a results folder or a published folder, it has no plan.json")
    plan = plans.read(path) if plan is None else plan
    rows = {row.run: row for row in reversed(plan.runs)}
    found = stored.read(folder, list(dict.fromkeys(row.run for row in plan.runs)))
    for run, (_, result) in found.items():
        if result.spec != rows[run].spec:
            raise ValueError(f"{folder}: its result of run {run} is of another specification ({rows[run].name})")
    if not found:
        raise ValueError(f"{folder}: has no finished run of the plan {plan.preset}")
    raw = {run: content for run, (content, _) in found.items()}
    results = {run: result for run, (_, result) in found.items()}
    parts, known = stored.parts(folder), stored.vouched(folder)
    new = {run: stored.sha256(content) for run, content in raw.items() if known.get(run) != stored.sha256(content)}
    if new:
        origin = working_tree(folder, published or folder)
        if origin["commit"] is None:
            logger.warning("%s: lies in no Git checkout: its results will be published from an unknown commit", folder)
        parts.append(origin | {"remark": None, "results": new})
    return _consistent(plan, raw, results, tuple(parts))


def union(first: ResultSet, second: ResultSet, *, overwrite: bool = False) -> ResultSet:
    """Both sets as one. A run that both have keeps its first result, which differs in nothing but its provenance.

    Args:
        first: the set that is there.
        second: what is added; what it says of an experiment's figures and runs takes the place of what is there.
        overwrite: of a run whose results contradict each other, take the second.

    Raises:
        ValueError: two results of one run differ, or two experiments of one name are not the same.
    """
    both = [run for run in second.raw if run in first.raw]
    differing = [run for run in both if _figures(first.results[run]) != _figures(second.results[run])]
    if differing and not overwrite:
        names = {row.run: row.title for row in second.plan.runs}
        more = f", and so have {len(differing) - 1} more" if len(differing) > 1 else ""
        raise ValueError(f"run {differing[0]} ({names[differing[0]]}): has another result in {first.plan.preset}{more}")
    kept = set(both) - set(differing)
    plan = joint_plan(first.plan, second.plan)
    raw = {**first.raw, **{run: content for run, content in second.raw.items() if run not in kept}}
    results = {**first.results, **{run: result for run, result in second.results.items() if run not in kept}}
    return _consistent(plan, raw, results, (*first.parts, *second.parts))


def _consistent(
    plan: Plan, raw: Mapping[str, bytes], results: Mapping[str, Result], parts: tuple[Mapping[str, Any], ...]
) -> ResultSet:
    """The set of these runs in the plan's order, its parts cut to them and counted anew."""
    runs = [run for run in dict.fromkeys(row.run for row in plan.runs) if run in raw]
    left = {run: stored.sha256(raw[run]) for run in runs}
    own = []
    for part in parts:
        here = {run: left.pop(run) for run, digest in part["results"].items() if left.get(run) == digest}
        if here:
            own.append({**part, **statistics([results[run] for run in here]), "results": here})
    return ResultSet(plan, {run: raw[run] for run in runs}, {run: results[run] for run in runs}, tuple(own))


def _figures(result: Result) -> dict[str, Any]:
    """All that a run found, without where and when."""
    return result.model_dump(exclude={"provenance", "digest", "outcome", "accounting_code"})
