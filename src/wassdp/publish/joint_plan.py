"""The plan of two sets together."""

from __future__ import annotations

from wassdp.pipeline.plan import Plan, PlannedExperiment


def joint_plan(first: Plan, second: Plan) -> Plan:
    """Runs and experiments of both; of what both have, the second says what it is called and what is made of it.

    Raises:
        ValueError: two experiments of one name are of other papers or kinds.
    """
    rows = {(row.experiment, row.run): row for plan in (first, second) for row in plan.runs}
    experiments = {experiment.name: experiment for experiment in first.experiments}
    for experiment in second.experiments:
        count = sum(name == experiment.name for name, _ in rows)
        there = experiments.get(experiment.name, experiment)
        experiments[experiment.name] = _joined(there, experiment, count)
    places = {name: place for place, name in enumerate(experiments)}
    excluded = {tuple(item.items()): item for item in (*first.excluded, *second.excluded)}
    return Plan(
        preset=first.preset,
        runs=tuple(sorted(rows.values(), key=lambda row: places[row.experiment])),
        experiments=tuple(experiments.values()),
        excluded=tuple(excluded.values()),
    )


def _joined(first: PlannedExperiment, second: PlannedExperiment, rows: int) -> PlannedExperiment:
    for key in ("paper", "kind"):
        values = getattr(first, key), getattr(second, key)
        if values[0] != values[1]:
            raise ValueError(f"experiment {first.name}: two are called so, with the {key} {values[0]} and {values[1]}")
    searches = dict.fromkeys(text for text in (first.search, second.search) if text is not None)
    seeds, runs = first.seeds or second.seeds, first.configured_runs or second.configured_runs
    if None not in (first.seeds, second.seeds, first.configured_runs, second.configured_runs):
        # Other seeds are more runs of the same settings; other settings are rows that the count below may not miss.
        settings = max(-(-item.configured_runs // len(item.seeds)) for item in (first, second))  # type: ignore
        seeds = tuple(dict.fromkeys((*first.seeds, *second.seeds)))  # type: ignore
        runs = max(rows, settings * len(seeds))
    return second.model_copy(
        update={
            "accountants": tuple(dict.fromkeys((*first.accountants, *second.accountants))),
            "figures": tuple({item.name: item for item in (*first.figures, *second.figures)}.values()),
            "tables": tuple({item.name: item for item in (*first.tables, *second.tables)}.values()),
            "search": "; ".join(searches) or None,
            "selection": first.selection if first.selection == second.selection else None,
            "remarks": (*first.remarks, *(item for item in second.remarks if item not in first.remarks)),
            "seeds": seeds,
            "configured_runs": runs,
        }
    )
