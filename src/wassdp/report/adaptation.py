"""What the figures and the table of domain adaptation share: names of problems and methods, and one row per setting."""

from __future__ import annotations

import math

import pandas as pd

from wassdp import checks
from wassdp.report import style
from wassdp.report.frames import require, truth
from wassdp.report.settings import shown
from wassdp.report.shares import delta_times_records

TASK, METHOD = "parameters.task.", "parameters.method."

METHODS = {
    "source_only": "source only",
    "swd": "SWD",
    "dann": "DANN",
    "dp_dann": "DP-DANN",
    "published_dp_swd": "DP-SWD, as published",
    "dp_swd": "DP-SWD, accounted in full",
    "dp_wasserstein_gradient": "Wasserstein gradient, private encoder",
}
"""Methods by name, in the order in which they are shown."""

PRINTED = {"swd": "SWD", "dann": "DANN", "dp_dann": "DP-DANN", "published_dp_swd": "DP-SWD"}
"""The printed column that a method is compared with, where it runs with the printed noise."""

CONTROL = ", noise alone"
"""Ends the name of a run that has a method's noise without its gradient."""

PROVEN = "epsilon/upper/pld"


def colour(name: str) -> str:
    """The colour of a method, by its name in `METHODS`."""
    adapting = [each for each in METHODS if each != "source_only"]
    return style.LOWER if name == "source_only" else style.CYCLE[adapting.index(name)]


def named(runs: pd.DataFrame) -> pd.DataFrame:
    """``runs`` with names of their problem, method and setting, by problem and in the order of `METHODS`.

    New columns: ``task`` is source and target, ``problem`` that with the dataset of features where it matters,
    ``method`` one of `METHODS`; ``private`` says whether a run is private or a control of one, which has no budget;
    ``panel`` and ``place`` number problems and methods, and ``setting`` the combinations of all parameters, so that
    runs of one setting differ in their seeds only.

    Raises:
        ValueError: a column is missing, or a method is unknown.
    """
    require(runs, [f"{TASK}name", f"{TASK}source", f"{TASK}target", f"{METHOD}name", "seed", "delta", "accuracy"])
    for name in runs[f"{METHOD}name"].unique():
        checks.one_of("method", name, METHODS.keys())
    found = runs.copy()
    found["private"] = runs["delta"].notna()
    found["task"] = [f"{source} to {target}" for source, target in zip(*_ends(runs), strict=True)]
    kinds = runs[f"{TASK}name"].astype(str)
    if f"{TASK}features" in runs:
        features = runs[f"{TASK}features"]
        kinds = kinds.where(features.isna(), kinds + ", " + features.map(shown))
    found["problem"] = found["task"].where(kinds == "digits", found["task"] + " (" + kinds + ")")
    found["method"] = runs[f"{METHOD}name"].map(METHODS)
    if f"{METHOD}gradient" in runs:
        found.loc[runs[f"{METHOD}gradient"] == "both", "method"] += ", gradient through both sides"
    if f"{METHOD}compare" in runs:
        found.loc[runs[f"{METHOD}compare"] == "scores", "method"] += ", of class scores"
    if f"{METHOD}control" in runs:
        controls = truth(runs[f"{METHOD}control"])
        found.loc[controls, "method"] += CONTROL
        found["private"] |= controls
    if f"{METHOD}dropout_epochs" in runs:
        # The published methods differ in this by themselves; a baseline has it to be like one of them.
        limited = (runs[f"{METHOD}name"] == "source_only") & runs[f"{METHOD}dropout_epochs"].notna()
        epochs = runs.loc[limited, f"{METHOD}dropout_epochs"]
        found.loc[limited, "method"] = [
            f"{METHODS['source_only']}, dropout in {shown(count)} epoch" for count in epochs
        ]
    parameters = [str(name) for name in runs.columns if str(name).startswith("parameters.")]
    found["setting"] = runs.groupby(parameters, dropna=False, sort=False).ngroup()
    problems = {name: place for place, name in enumerate(dict.fromkeys(found["problem"]))}
    found["panel"] = found["problem"].map(problems)
    methods = {name: place for place, name in enumerate(METHODS)}
    found["place"] = runs[f"{METHOD}name"].map(methods)
    return found.sort_values(["panel", "place", "setting", "seed"], kind="stable").reset_index(drop=True)


def settings(runs: pd.DataFrame, accountant: str = PROVEN) -> pd.DataFrame:
    """One row per setting of `named` runs: mean and range of the accuracies in percent, seeds, and the worst budget.

    ``epsilon`` is the largest of the seeds' budgets by ``accountant`` (``epsilon/<kind>/<name>``), infinite where
    nothing finite is known, and missing for a run without privacy; ``share`` is the largest δ × records.
    """
    rows = runs.assign(
        budget=runs[accountant].astype(float) if accountant in runs else math.nan, delta=runs["delta"].astype(float)
    )
    table = rows.groupby(["panel", "problem", "place", "setting"]).agg(
        task=("task", "first"),
        dataset=(f"{TASK}name", "first"),
        name=(f"{METHOD}name", "first"),
        private=("private", "first"),
        method=("method", "first"),
        epochs=("parameters.epochs", "first"),
        accuracy=("accuracy", "mean"),
        least=("accuracy", "min"),
        most=("accuracy", "max"),
        seeds=("seed", "nunique"),
        epsilon=("budget", "max"),
        delta=("delta", "first"),
    )
    for optional in ("sigma", "accuracy_held_out", "records", f"{METHOD}epsilon"):
        values = rows[optional].astype(float) if optional in rows else pd.Series(math.nan, index=rows.index)
        table[optional] = values.groupby([rows[key] for key in table.index.names]).mean()
    table["share"] = delta_times_records(rows).groupby([rows[key] for key in table.index.names]).max()
    table[["accuracy", "least", "most", "accuracy_held_out"]] *= 100
    return table.reset_index()


def _ends(runs: pd.DataFrame) -> tuple[pd.Series[str], pd.Series[str]]:
    return runs[f"{TASK}source"].astype(str), runs[f"{TASK}target"].astype(str)
