"""Finished runs of other folders, or of other machines, into published folders: one for each paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wassdp.pipeline import plan as plans
from wassdp.pipeline.plan import PlannedExperiment
from wassdp.publish import sets
from wassdp.publish.exchange import appearing
from wassdp.publish.sets import ResultSet, union
from wassdp.publish.settings import distinct
from wassdp.publish.written import write_drawn


def merge(
    sources: Sequence[Path],
    target: Path,
    *,
    name: str | None = None,
    remark: str | None = None,
    overwrite: bool = False,
) -> dict[Path, ResultSet]:
    """Add the finished runs of every source, and make ledger, tables and figures of all that is there then.

    A killed merge leaves every folder as it was or complete; the same call again does the rest.

    Args:
        sources: results folders or published ones, of any version.
        target: folder of all published results.
        name: of the folder in it that takes them; None: an experiment's runs go where it is already published, else to
            the folder that is named after its paper.
        remark: a line about the results of the sources; None leaves what is said of them.
        overwrite: where the sources contradict a published result, or each other, the last one counts.

    Returns:
        The folders that were written, with what they hold now.

    Raises:
        ValueError: two results of a run contradict each other, two runs of one seed cannot be told apart, a figure
            cannot be made, or a file is too large.
    """
    known = {} if name is not None else _homes(target, sources)

    def home(experiment: PlannedExperiment) -> str:
        return name or known.get(experiment.name, experiment.paper)

    joined: dict[Path, ResultSet] = {}
    for source in sources:
        for place, part in sets.read(source, published=target).remarked(remark).split(home):
            folder = target / place
            there = joined.get(folder) or (sets.read(folder) if plans.find(folder).is_file() else None)
            joined[folder] = part if there is None else union(there, part, overwrite=overwrite)
    joined = {folder: replace(found, plan=distinct(found.plan)) for folder, found in joined.items()}
    with appearing(*joined) as drafts:
        for draft, (folder, found) in zip(drafts, joined.items(), strict=True):
            write_drawn(draft, found, folder)
    return joined


def _homes(target: Path, sources: Sequence[Path]) -> dict[str, str]:
    """Experiment to the published folder that has it."""
    away = {source.resolve() for source in sources}
    return {
        experiment.name: path.parent.name
        for path in plans.kept(target)
        if path.parent.resolve() not in away
        for experiment in plans.read(path).experiments
    }
