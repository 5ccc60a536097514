"""A published folder's ledger, tables and figures once more, from the results that it holds and by today's code.

For sets that are not computed anew: results stay as they are, to the byte.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from wassdp.config import Config
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.pipeline.plan import Plan, PlannedExperiment
from wassdp.publish import sets
from wassdp.publish.exchange import appearing
from wassdp.publish.written import write_drawn


def again(folder: Path, *, remark: str | None = None, config: Config | None = None, pages: bool = False) -> Plan:
    """Make everything in a published folder but its results again; it changes whole or not at all.

    Args:
        folder: what `wassdp publish` made, of any version.
        remark: a line about all runs; None leaves what stands there, empty removes it.
        config: what an older plan lacks is taken from its experiments: search, selection, remarks, which figure is the
            claim, numbers of seeds and runs. An experiment that it does not have takes those of the one whose name,
            with a hyphen, begins its own.
        pages: make ledger, table of runs and README alone; figures and tables stay as they are.

    Returns:
        The plan of the folder.

    Raises:
        ValueError: the folder is no published one, holds no result, or a figure or table cannot be made of them.
    """
    for name in (plans.find(folder).name, stored.PUBLISHED):
        if not (folder / name).is_file():
            raise ValueError(f"again = {str(folder)!r}: is no published folder, it has no {name}")
    found = sets.read(folder).remarked(remark)
    if config is not None:
        found = replace(found, plan=completed(found.plan, config))
    with appearing(folder) as (draft,):
        write_drawn(draft, found, folder, pages=pages)
    return found.plan


def completed(plan: Plan, config: Config) -> Plan:
    """``plan`` with what its experiments lack of search, remarks, seeds and number of runs, from a configuration.

    Runs that the configuration has too, by whatever experiment, are called there as it calls them.
    """
    whole = plans.plan(config)
    known = {experiment.name: experiment for experiment in whole.experiments}
    called = {row.run: row.model_dump(include={"label", "problem", "method", "privacy"}) for row in whole.runs}

    def of(own: PlannedExperiment) -> PlannedExperiment:
        like = [name for name in known if own.name == name or own.name.startswith(f"{name}-")]
        if not like:
            return own
        other = known[max(like, key=len)]
        taken: dict[str, Any] = {key: getattr(other, key) for key in ("search", "selection", "remarks", "claim")}
        if own.seeds is None:
            taken |= {"seeds": other.seeds, "configured_runs": other.configured_runs}
        return own.model_copy(update=taken)

    return plan.model_copy(
        update={
            "runs": tuple(row.model_copy(update=called.get(row.run, {})) for row in plan.runs),
            "experiments": tuple(of(experiment) for experiment in plan.experiments),
        }
    )
