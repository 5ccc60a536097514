"""Every method at equal budgets, one row for each setting, from published sets: what is shown, sorted and filtered."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from wassdp.accounting.rounding import of_all, worst
from wassdp.claims.paired_seeds import half_width
from wassdp.fairness.neighbours import groups_of
from wassdp.files import RUNS, find_table
from wassdp.ledger import files as ledger_files
from wassdp.metric_words import metric_words
from wassdp.pipeline import plan as plans
from wassdp.pipeline import single_sums, stored
from wassdp.pipeline.plan import Plan, PlannedExperiment
from wassdp.publish import told
from wassdp.report import costs
from wassdp.report.frames import ADJACENCIES, SAMPLINGS, in_words
from wassdp.report.shares import COLUMN
from wassdp.selection import NONE, NOT_RECORDED, READ, VALIDATION

SET = "equal-budgets"
"""The set whose experiments are all compared; of others, those that say so (`wassdp.selection.Compared`)."""
COLUMNS: Mapping[str, str] = {
    "task": "what is learnt",
    "data": "data set or problem",
    "method": "method",
    "setting": "setting, as the set calls it",
    "epsilon": "ε of one run, the largest proven of its seeds; inf: none finite is proven; empty: it is not private",
    "delta": "δ",
    "delta_times_records": "δ times the number of records",
    "accountant": "what proves that ε",
    "relation": "neighbouring relation",
    "sampling": "sampling scheme",
    "attacked": "largest ε that an attack showed at least, in every seed",
    "public_data": "public data that the method uses",
    "judged_on": "records that its settings were judged on while they were chosen",
    "trials": "trials of the method at all budgets, where they were counted",
    "tuning": "how settings were chosen, in words; in no ε",
    "score": "what is scored, on test records",
    "mean": "mean score over the seeds",
    "low": "lower end of Student's 95 % interval of the mean; empty with one seed",
    "high": "upper end",
    "least": "least score of the seeds",
    "most": "most score of the seeds",
    "seeds": "seeds with results",
    "seeds_configured": "seeds of the plan",
    "seconds": "mean seconds of a run, of those on processors where there are any",
    "memory_mib": "mean peak memory of a run's process, MiB",
    "remark": "what a reader has to know of these runs",
    "set": "published set, a folder here",
    "experiment": "experiment of its plan",
    "configuration": "file with the parameters of the runs, under their ids",
    "results": "file that holds the results of the first of them, under runs/<id>/result.json",
    "runs": "ids of the runs, one for each seed",
}
"""Name of each column of the data, in order, and what it holds."""
SCORE = "compared.score"

Row = tuple[dict[str, Any], dict[str, Any]]
"""What is shown of a setting, and the parameters of its runs."""


def rows(folder: Path) -> Iterator[Row]:
    """A row of `COLUMNS` for each setting that is compared, and the parameters of its runs.

    Args:
        folder: of published sets.

    Raises:
        OSError: a set lacks a file.
    """
    for path in plans.kept(folder):
        place, plan = path.parent, plans.relabelled(plans.read(path))
        chosen = [each for each in plan.experiments if place.name == SET or each.compared is not None]
        if chosen:
            named = {each.name for each in chosen if each.compared is not None and each.compared.get("method")}
            yield from _told_apart(list(_rows(place, plan, {each.name: each for each in chosen})), named)


def _rows(place: Path, plan: Plan, experiments: Mapping[str, PlannedExperiment]) -> Iterator[Row]:
    table = find_table(place, RUNS)
    runs = pd.read_csv(table, low_memory=False)
    ledger = pd.read_csv(ledger_files.find(place), low_memory=False)
    shares = ledger.groupby("run")[COLUMN].max()
    bounds = ledger[ledger["kind"] == "upper"]
    of_exact_sums = set(bounds.loc[bounds["rests_on"].str.contains(single_sums.SAID, na=False), "run"])
    specs = {row.run: row.spec for row in plan.runs}
    archives, remarks = _archives(place), _remarks(place)
    for key, own in runs.groupby(["experiment", "label"], sort=False):
        experiment, label = (str(each) for each in key)
        if experiment in experiments:
            row = _row(experiments[experiment], label, own)
            first = own["run"].iloc[0]
            row |= {
                COLUMN: float(shares.reindex(own["run"]).max()),
                "remark": "; ".join(dict.fromkeys(filter(None, (remarks.get(run, "") for run in own["run"])))),
                "set": place.name,
                "configuration": f"{place.name}/{table.name}",
                "results": f"{place.name}/{archives.get(first, 'README.md')}",
                "runs": " ".join(own["run"]),
            }
            parameters = dict(specs[first]["parameters"])
            groups = groups_of(experiments[experiment].kind, parameters)
            sums = "" if of_exact_sums.isdisjoint(own["run"]) else single_sums.NOTE
            row["remark"] = "; ".join(filter(None, (row["remark"], groups, sums)))
            row["public_data"] = row["public_data"] or _public(experiments[experiment].kind, parameters)
            if not (experiments[experiment].compared or {}).get("method"):
                row["method"] = ", ".join(filter(None, (row["method"], told.features(parameters))))
            yield {name: row[name] for name in COLUMNS}, parameters


def _told_apart(found: list[Row], named: Collection[str]) -> list[Row]:
    """Rows of a set, with more words for methods that several of its experiments call alike and none has ``named``."""
    alike: dict[tuple[str, str, str], dict[str, list[Row]]] = {}
    for row, parameters in found:
        if row["experiment"] not in named:
            experiments = alike.setdefault((row["task"], row["data"], row["method"]), {})
            experiments.setdefault(row["experiment"], []).append((row, parameters))
    for (_, _, method), experiments in alike.items():
        settings = [[parameters for _, parameters in own] for own in experiments.values()]
        words = told.methods([method] * len(settings), settings)
        for each, rows_of_experiment in zip(words, experiments.values(), strict=True):
            for row, _ in rows_of_experiment:
                row["method"] = each
    return found


def _row(experiment: PlannedExperiment, label: str, own: pd.DataFrame) -> dict[str, Any]:
    compared = experiment.compared or {}
    trials, judge, words = tuning(experiment.selection, experiment.search)
    score, values = _scores(experiment, own)
    timed = costs.comparable(own)
    proven = budget(own)
    return {
        "task": compared.get("task") or experiment.kind,
        "data": in_words(str(compared.get("problem") or own["problem"].iloc[0])),
        "method": compared.get("method") or own["method"].iloc[0],
        "setting": label,
        **proven,
        "attacked": _attacked(own, proven["delta"]),
        "public_data": compared.get("public", ""),
        "judged_on": judge,
        "trials": trials,
        "tuning": words,
        "score": score,
        **summary(values),
        "seeds": own["seed"].nunique(dropna=False),
        "seeds_configured": len(experiment.seeds or ()) or math.nan,
        "seconds": timed["seconds"].mean(),
        "memory_mib": timed["peak_memory_mib"].mean(),
        "experiment": experiment.name,
    }


def budget(own: pd.DataFrame) -> dict[str, Any]:
    """What is proven of a setting: the largest of its seeds by each accountant, and of these the least.

    Infinite by one that a seed lacks, or where nothing is proven of a private setting; NaN of one that is not private.

    Args:
        own: rows of the table of runs, of one setting.

    Raises:
        ValueError: its seeds have that budget under several relations or samplings.
    """
    columns = [name for name in map(str, own) if name.startswith("epsilon/upper/") and own[name].notna().any()]
    proven = {_accountant(name): of_all(own[name].astype(float), "upper") for name in columns}
    if not proven:
        epsilon = math.inf if own["delta"].notna().any() else math.nan
        return {"epsilon": epsilon, "delta": math.nan, "accountant": "", "relation": "", "sampling": ""}
    name = min(proven, key=lambda each: proven[each])
    adjacency, sampling = (_one(own, f"{fact}/upper/{name}") for fact in ("adjacency", "sampling"))
    return {
        "epsilon": proven[name],
        "delta": float(own[f"delta/upper/{name}"].max()),
        "accountant": f"upper/{name}",
        "relation": ADJACENCIES.get(adjacency, ""),
        "sampling": SAMPLINGS.get(sampling, ""),
    }


def _attacked(own: pd.DataFrame, delta: float) -> float:
    """What attacks reached of every seed at ``delta``: at a smaller one a lower bound says nothing of it."""
    columns = [name for name in map(str, own) if name.startswith("epsilon/lower/") and own[name].notna().all()]
    reached = {_accountant(name): worst(own[name].astype(float), "lower") for name in columns}
    at = {name: float(own[f"delta/lower/{name}"].min()) for name in reached}
    return max((value for name, value in reached.items() if math.isnan(delta) or at[name] >= delta), default=math.nan)


def _accountant(column: str) -> str:
    return column.split("/", 2)[2]


def _one(own: pd.DataFrame, column: str) -> str:
    """What the seeds of a setting have in a column, those that have anything; empty if none has.

    Raises:
        ValueError: they have several, of which no one row can tell.
    """
    found = list(dict.fromkeys(map(str, own[column].dropna())))
    if len(found) > 1:
        raise ValueError(f"runs: those of {own['label'].iloc[0]} have {column} {', '.join(found)}; must have one")
    return found[0] if found else ""


def _scores(experiment: PlannedExperiment, own: pd.DataFrame) -> tuple[str, pd.Series[float]]:
    """What is scored, and the score of each run."""
    if SCORE in own and own[SCORE].notna().all():
        return str(own["compared.objective"].iloc[0]), own[SCORE].astype(float)
    name = experiment.headline or "accuracy"
    values = own[name] if name in own else pd.Series(math.nan, index=own.index)
    return metric_words(name), values.astype(float)


def summary(values: pd.Series[float]) -> dict[str, float]:
    """Mean, Student's 95 % interval of it, least and most of the scores of a setting; NaN where a seed lacks its score.

    >>> {name: round(value, 3) for name, value in summary(pd.Series([0.8, 0.9])).items()}
    {'mean': 0.85, 'low': 0.215, 'high': 1.485, 'least': 0.8, 'most': 0.9}
    """
    if values.isna().any():
        return dict.fromkeys(("mean", "low", "high", "least", "most"), math.nan)
    mean, reach = float(values.mean()), half_width(values.tolist())
    ends = {"low": mean - reach, "high": mean + reach}
    return {"mean": mean} | ends | {"least": float(values.min()), "most": float(values.max())}


def tuning(selection: str | None, search: str | None) -> tuple[float, str, str]:
    """Number of trials (NaN if nobody counted), the records that they were judged on, and both in words.

    >>> tuning("validation, 6 trials", "ranges by hand")
    (6.0, 'validation records', 'validation, 6 trials; ranges by hand')
    >>> tuning(None, None)
    (nan, 'not recorded', 'not recorded')
    """
    words = "; ".join(filter(None, (selection, search))) or NOT_RECORDED
    if selection == NONE:
        return 0.0, "none", words
    if selection == READ:
        return math.nan, "test records", words
    counted = VALIDATION.fullmatch(selection or "")
    return (float(counted[1]), "validation records", words) if counted else (math.nan, NOT_RECORDED, words)


def _public(kind: str, parameters: Mapping[str, Any]) -> str:
    """Public data of runs that do not say themselves what they use."""
    used = ["labelled source"] if kind == "adaptation" else []
    features, task = parameters.get("features") or {}, parameters.get("task") or {}
    if features.get("name") == "patches":
        used.append("two photographs")
    if isinstance(task, Mapping) and task.get("features"):
        used.append(f"features of {task['features']}, trained on public images")
    return ", ".join(used) or "none"


def _archives(place: Path) -> dict[str, str]:
    """Run to the file of a published set that holds its result."""
    found = {}
    for run, path, _ in stored.stored(place):
        inside = path.relative_to(place).parts
        found[run] = "/".join(inside) if inside[0] == "runs" else inside[0]
    return found


def _remarks(place: Path) -> dict[str, str]:
    """Run to what is said of the part of the set that it was published with."""
    parts = json.loads((place / stored.PUBLISHED).read_text())["parts"]
    return {run: part["remark"] for part in parts if part.get("remark") for run in part["results"]}
