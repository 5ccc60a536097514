"""Settings of plans that were made apart: no two are called alike, and none is called in two ways.

A label tells a setting from the others of its own plan's grid. Runs of two plans in one set may be called alike and
differ in what neither grid varied: ledger, tables and figures would take them for seeds of one setting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from wassdp.experiment import Description
from wassdp.files import canonical_json
from wassdp.labels import LONGEST, flat, told_apart
from wassdp.pipeline.plan import Plan, PlannedRun, relabelled
from wassdp.runs import shown_seed, validate_parameters

_REMEDY = "give one of the two experiments a `label:` or another name, or leave one of the two runs out"


def distinct(plan: Plan) -> Plan:
    """``plan``, each setting of an experiment called in one way, and no two alike; as it is where that holds.

    Where it does not, the parameters in which settings differ are added, as in the plan of one configuration.

    Raises:
        ValueError: one line: two runs of one seed differ in nothing that could tell them apart.
    """
    named = relabelled(plan)
    words: dict[tuple[str, str], dict[str, str]] = {}
    for experiment in plan.experiments:
        rows = [row for row in named.runs if row.experiment == experiment.name]
        values = _values(rows)
        keys = _keys(rows, values)
        if _alike(rows, keys) or len({(keys[row.run], row.label) for row in rows}) > len(set(keys.values())):
            words |= {(row.experiment, row.run): said for row, said in _told(rows, keys, values)}
    if not words:
        return plan
    runs = (row.model_copy(update=words.get((row.experiment, row.run), {})) for row in named.runs)
    return named.model_copy(update={"runs": tuple(runs)})


def adds(first: PlannedRun, second: PlannedRun) -> bool:
    """Whether the first is called as the second is, and more: what told its setting apart in a set stays."""
    alike = (first.problem, first.privacy) == (second.problem, second.privacy)
    more = first.method.startswith(f"{second.method}, ") if second.method else bool(first.method)
    return alike and more


def _told(
    rows: Sequence[PlannedRun], keys: Mapping[str, str], values: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[PlannedRun, dict[str, str]]]:
    """Each run of an experiment with its setting in words, told from all others."""
    settings: dict[str, PlannedRun] = {}
    for row in rows:
        before = settings.get(keys[row.run])
        settings[keys[row.run]] = row if before is None or not adds(before, row) else before
    parts = [Description(row.problem, row.method, row.privacy) for row in settings.values()]
    told = dict(zip(settings, told_apart(parts, [values[row.run] for row in settings.values()]), strict=True))
    several = len({part.problem for part in told.values()}) > 1
    found = []
    for row in rows:
        part = told[keys[row.run]]
        text = ", ".join(filter(None, [part.problem * several, part.method, part.privacy])) or row.experiment
        if len(text) > LONGEST:
            raise ValueError(
                f"experiment {row.experiment}: run {row.run}: told from runs that are called alike, its label "
                f"{text[:40]!r}... has {len(text)} characters, at most {LONGEST}; {_REMEDY}"
            )
        found.append((row, {"label": text, **part._asdict()}))
    for one, two in _alike([row.model_copy(update=said) for row, said in found], keys):
        raise ValueError(
            f"experiment {one.experiment}: label {one.label!r}, seed {shown_seed(one.seed)}: is that of two runs, "
            f"{one.run} and {two.run}, which nothing tells apart; {_REMEDY}"
        )
    yield from found


def _alike(rows: Sequence[PlannedRun], keys: Mapping[str, str]) -> list[tuple[PlannedRun, PlannedRun]]:
    """Runs of two settings with one label, a pair for each such label: of one seed, if there are any."""
    labels: dict[str, list[PlannedRun]] = {}
    for row in rows:
        labels.setdefault(row.label, []).append(row)
    pairs = []
    for own in labels.values():
        if len({keys[row.run] for row in own}) > 1:
            two = (pair for pair in combinations(own, 2) if keys[pair[0].run] != keys[pair[1].run])
            pairs.append(min(two, key=lambda pair: pair[0].seed != pair[1].seed))
    return pairs


def _keys(rows: Sequence[PlannedRun], values: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Run to its setting. Runs of one seed are of two, whatever today's defaults say of older ones."""
    keys = {run: canonical_json(own) for run, own in values.items()}
    seeds = Counter((keys[row.run], row.seed) for row in rows)
    twice = {key for (key, _), count in seeds.items() if count > 1}
    return {
        row.run: f"{keys[row.run]} {canonical_json(row.spec['parameters']) if keys[row.run] in twice else ''}"
        for row in rows
    }


def _values(rows: Sequence[PlannedRun]) -> dict[str, dict[str, Any]]:
    """Run to its parameters, flat, with today's defaults: one that came later makes no other setting of older runs."""
    found: dict[str, dict[str, Any]] = {}
    whole: dict[str, dict[str, Any]] = {}
    for row in rows:
        given = row.spec["parameters"]
        if (key := canonical_json(given)) not in whole:
            try:
                whole[key] = flat(validate_parameters(row.kind, given).model_dump(mode="json"))
            except ValueError:  # of an earlier version, which is no more
                whole[key] = flat(given)
        found[row.run] = whole[key]
    return found
