"""Finished runs of other folders, or of other machines, into published folders: one for each paper."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from wassdp.config import Slug
from wassdp.pipeline import plan as plans
from wassdp.pipeline.plan import PlannedExperiment
from wassdp.publish import sets
from wassdp.publish.exchange import appearing
from wassdp.publish.mixed import mixed_seeds
from wassdp.publish.sets import ResultSet, union
from wassdp.publish.settings import distinct
from wassdp.publish.written import write_drawn

logger = logging.getLogger(__name__)


def merge(
    sources: Sequence[Path],
    target: Path,
    *,
    name: str | None = None,
    only: Sequence[str] | None = None,
    remark: str | None = None,
    overwrite: bool = False,
) -> dict[Path, ResultSet]:
    """Add the finished runs of every source, and make ledger, tables and figures of all that is there then.

    A killed merge leaves every folder as it was or complete; the same call again does the rest. A line is logged for
    each seed of which some rows are renewed and others stay as older code computed them (`wassdp.publish.mixed`).

    Args:
        sources: results folders or published ones, of any version.
        target: folder of all published results.
        name: of the folder in it that takes them; None: an experiment's runs go where it is already published, else to
            the folder that is named after its paper.
        only: experiments whose runs are added; a run may belong to others too, which stay as they are. None: all.
        remark: a line about the results of the sources; None leaves what is said of them.
        overwrite: where the sources contradict a published result, or each other, the last one counts.

    Returns:
        The folders that were written, with what they hold now.

    Raises:
        ValueError: ``name`` is no name of a set; a folder to be written is a source, contains one or lies inside one,
            or is there and no published one; two results of a run contradict each other, two runs of one seed cannot be
            told apart, a figure cannot be made, a file is too large, or no source has a finished run of an experiment
            in ``only``.
    """
    if name is not None:
        _refuse_unnamed(name)
    known = {} if name is not None else _homes(target, sources)

    def home(experiment: PlannedExperiment) -> str:
        return name or known.get(experiment.name, experiment.paper)

    joined: dict[Path, ResultSet] = {}
    merged: dict[Path, set[str]] = defaultdict(set)
    codes: dict[str, str] = {}
    for read in _chosen([sets.read(source, published=target).remarked(remark) for source in sources], only):
        codes |= {run: job.code for run, job in read.plan.jobs.items()}
        for place, part in read.split(home):
            folder = target / place
            _refuse_sources(folder, sources)
            there = joined.get(folder) or (sets.read(folder) if plans.find(folder).is_file() else None)
            joined[folder] = part if there is None else union(there, part, overwrite=overwrite)
            merged[folder] |= {run for run, content in part.raw.items() if joined[folder].raw[run] == content}
    joined = {folder: replace(found, plan=distinct(found.plan)) for folder, found in joined.items()}
    with appearing(*joined) as drafts:
        for draft, (folder, found) in zip(drafts, joined.items(), strict=True):
            write_drawn(draft, found, folder)
    for folder, found in joined.items():
        for line in mixed_seeds(found, merged[folder], codes):
            logger.warning("%s: %s", folder, line)
    return joined


def _refuse_unnamed(name: str) -> None:
    try:
        TypeAdapter(Slug).validate_python(name)
    except ValidationError:
        raise ValueError(
            f"set = {name!r}: must be lower-case words joined by hyphens, at most 100 characters"
        ) from None


def _refuse_sources(folder: Path, sources: Sequence[Path]) -> None:
    """Refuse a folder to be written that is a source, contains one or lies inside one."""
    own = folder.resolve()
    for source in sources:
        other = source.resolve()
        if own.is_relative_to(other) or other.is_relative_to(own):
            raise ValueError(f"{folder}: must not be {source}, contain it or lie inside it, which is merged")


def _chosen(sources: Sequence[ResultSet], only: Sequence[str] | None) -> Sequence[ResultSet]:
    """The sources, or what they hold of these experiments."""
    if only is None:
        return sources
    finished = {row.experiment: None for read in sources for row in read.plan.runs if row.run in read.raw}
    if unknown := [name for name in only if name not in finished]:
        raise ValueError(f"only = {unknown[0]!r}: must be an experiment with finished runs: {', '.join(finished)}")
    return [read.of(only) for read in sources]


def _homes(target: Path, sources: Sequence[Path]) -> dict[str, str]:
    """Experiment to the published folder that has it."""
    away = {source.resolve() for source in sources}
    return {
        experiment.name: path.parent.name
        for path in plans.kept(target)
        if path.parent.resolve() not in away
        for experiment in plans.read(path).experiments
    }
