"""A published folder's ledger, tables and figures once more, from the results that it holds and by today's code.

For sets that are not computed anew: results stay as they are, to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wassdp.config import Config
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.pipeline.plan import Plan, PlannedExperiment
from wassdp.publish import sets
from wassdp.publish.exchange import appearing
from wassdp.publish.settings import distinct
from wassdp.publish.written import write_drawn
from wassdp.result import Result
from wassdp.selection import READ, informed


def again(folder: Path, *, remark: str | None = None, config: Config | None = None, pages: bool = False) -> Plan:
    """Make everything in a published folder but its results again; it changes whole or not at all.

    Args:
        folder: what `wassdp publish` made, of any version.
        remark: a line about all runs; None leaves what stands there, empty removes it.
        config: what an older plan lacks is taken from its experiments: search, selection, remarks, which figure is the
            claim, numbers of seeds and runs; that test accuracies were read stays. An experiment that it does not have
            takes those of the one whose name, with a hyphen, begins its own. Of runs whose results are here, those that
            it gives to another experiment of the set as well are shown there too; an experiment that it does not have,
            and whose runs all came to be shown in the one that its name begins with, is left out.
        pages: make ledger, table of runs and README alone; figures and tables stay as they are.

    Returns:
        The plan of the folder.

    Raises:
        ValueError: the folder is no published one, holds no result, two runs of one seed cannot be told apart, or a
            figure or table cannot be made of the results.
    """
    for name in (plans.find(folder).name, stored.PUBLISHED):
        if not (folder / name).is_file():
            raise ValueError(f"again = {str(folder)!r}: is no published folder, it has no {name}")
    found = sets.read(folder).remarked(remark)
    if config is not None:
        found = replace(found, plan=completed(found.plan, config, found.results))
    found = replace(found, plan=distinct(found.plan))
    with appearing(folder) as (draft,):
        write_drawn(draft, found, folder, pages=pages)
    return found.plan


def completed(plan: Plan, config: Config, results: Mapping[str, Result]) -> Plan:
    """``plan`` with what its experiments lack of search, remarks, seeds and runs, from a configuration.

    What is shown and what is left out, `again` says.
    Runs that the configuration has too, by whatever experiment, are called there as it calls them.
    """
    whole = plans.plan(config)
    known = {experiment.name: experiment for experiment in whole.experiments}
    called = {row.run: row.model_dump(include={"label", "problem", "method", "privacy"}) for row in whole.runs}

    def like(own: PlannedExperiment) -> PlannedExperiment | None:
        found = [name for name in known if own.name == name or own.name.startswith(f"{name}-")]
        return known[max(found, key=len)] if found else None

    def of(own: PlannedExperiment) -> PlannedExperiment:
        if (other := like(own)) is None:
            return own
        taken: dict[str, Any] = {key: getattr(other, key) for key in ("search", "selection", "remarks", "claim")}
        if own.selection == READ:  # no other file's word that they were not takes that back
            taken |= {"search": own.search, "selection": READ}
        elif informed(own.selection) and not informed(other.selection):
            taken |= {"search": own.search, "selection": own.selection}
        if own.seeds is None:
            taken |= {"seeds": other.seeds, "configured_runs": other.configured_runs}
        return own.model_copy(update=taken)

    rows = {each.name: [row for row in plan.runs if row.experiment == each.name] for each in plan.experiments}
    for experiment in plan.experiments:
        here = {row.run for row in rows[experiment.name]}
        more = {
            row.run: row
            for row in whole.runs
            if row.experiment == experiment.name and row.run not in here and _told(results.get(row.run), experiment)
        }
        order = [row.run for row in whole.runs if row.experiment == experiment.name]
        if more:
            every = {row.run: row for row in rows[experiment.name]} | more
            rows[experiment.name] = [every.pop(run) for run in order if run in every] + list(every.values())
    own_runs = {name: {row.run for row in some} for name, some in rows.items()}
    left = [
        each
        for each in plan.experiments
        if each.name in known or (other := like(each)) is None or own_runs[each.name] - own_runs.get(other.name, set())
    ]
    return plan.model_copy(
        update={
            "runs": tuple(row.model_copy(update=called.get(row.run, {})) for each in left for row in rows[each.name]),
            "experiments": tuple(of(experiment) for experiment in left),
        }
    )


def _told(result: Result | None, experiment: PlannedExperiment) -> bool:
    """Whether the result says of its run what an experiment asks for."""
    if result is None:
        return False
    told = {guarantee.accountant for guarantee in result.guarantees}
    return not told or set(experiment.accountants) <= told
