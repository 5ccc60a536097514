"""The plan of two sets together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wassdp.config import FigureChoice, output
from wassdp.pipeline.plan import Plan, PlannedExperiment, PlannedOutput
from wassdp.publish.settings import adds


def joint_plan(first: Plan, second: Plan) -> Plan:
    """Runs and experiments of both; of what both have, the second says what it is called and what is made of it.

    Raises:
        ValueError: two experiments of one name are of other papers or kinds, or two make figures or tables of one name
            that are not one comparison of methods.
    """
    rows = {(row.experiment, row.run): row for row in first.runs}
    for row in second.runs:
        there = rows.get((row.experiment, row.run))
        rows[row.experiment, row.run] = row if there is None or not adds(there, row) else there
    experiments = {experiment.name: experiment for experiment in first.experiments}
    for experiment in second.experiments:
        count = sum(name == experiment.name for name, _ in rows)
        known = experiments.get(experiment.name, experiment)
        experiments[experiment.name] = _joined(known, experiment, count)
    places = {name: place for place, name in enumerate(experiments)}
    excluded = {tuple(item.items()): item for item in (*first.excluded, *second.excluded)}
    return Plan(
        preset=first.preset,
        runs=tuple(sorted(rows.values(), key=lambda row: places[row.experiment])),
        experiments=tuple(_once(experiments.values())),
        excluded=tuple(excluded.values()),
    )


def _once(experiments: Iterable[PlannedExperiment]) -> Iterator[PlannedExperiment]:
    """Experiments without what one before them makes: a comparison shows all methods of its task, whoever asks."""
    makers: dict[str, tuple[PlannedExperiment, PlannedOutput]] = {}
    for experiment in experiments:
        kept: dict[str, tuple[PlannedOutput, ...]] = {}
        for section, folder in (("figures", f"figures/{experiment.paper}"), ("tables", "tables")):
            asked: tuple[PlannedOutput, ...] = getattr(experiment, section)
            for item in asked:
                maker, made = makers.setdefault(f"{folder}/{item.name}", (experiment, item))
                if maker is not experiment and not _one_comparison(section, (maker, made), (experiment, item)):
                    raise ValueError(
                        f"{folder}/{item.name}: is made by experiment {maker.name} and by {experiment.name}; a set has "
                        "room for one"
                    )
            kept[section] = tuple(item for item in asked if makers[f"{folder}/{item.name}"][0] is experiment)
        yield experiment.model_copy(update=kept)


def _one_comparison(section: str, *both: tuple[PlannedExperiment, PlannedOutput]) -> bool:
    (one, item), (other, _) = both
    if one.compared is None or other.compared is None or one.compared["task"] != other.compared["task"]:
        return False
    asked = {FigureChoice(name=each.name, kind=each.kind, options=each.options).model_dump_json() for _, each in both}
    return len(asked) == 1 and output(section, FigureChoice(name=item.name, kind=item.kind)).compares


def _joined(first: PlannedExperiment, second: PlannedExperiment, rows: int) -> PlannedExperiment:
    for key in ("paper", "kind"):
        values = getattr(first, key), getattr(second, key)
        if values[0] != values[1]:
            raise ValueError(f"experiment {first.name}: two are called so, with the {key} {values[0]} and {values[1]}")
    searches = dict.fromkeys(text for text in (first.search, second.search) if text is not None)
    seeds, runs = first.seeds or second.seeds, first.configured_runs or second.configured_runs
    if None not in (first.seeds, second.seeds, first.configured_runs, second.configured_runs):
        # Other seeds are more runs of the same settings; other settings are rows that the count below may not miss.
        settings = max(-(-item.configured_runs // len(item.seeds)) for item in (first, second))  # type: ignore[arg-type, operator]
        seeds = tuple(dict.fromkeys((*first.seeds, *second.seeds)))  # type: ignore[misc]
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
