"""What the figures and the table of domain adaptation share: names of problems and methods, and one row per setting."""

from __future__ import annotations

import math

import pandas as pd

from wassdp.accounting.rounding import of_all
from wassdp.adaptation.methods import METHODS
from wassdp.claims.paired_seeds import half_width
from wassdp.report import seeds, style
from wassdp.report.frames import require, truth
from wassdp.report.shares import delta_times_records, deltas

TASK, METHOD = "parameters.task.", "parameters.method."

ORDER = ("source_only", "swd", "dann", "dp_dann", "published_dp_swd", "dp_swd", "dp_wasserstein_gradient")
"""Methods in the order in which they are shown; others come after them, by their names."""

PRINTED = {"swd": "SWD", "dann": "DANN", "dp_dann": "DP-DANN", "published_dp_swd": "DP-SWD"}
"""The printed column that a method is compared with, where it runs with the printed noise."""

PROVEN = "epsilon/upper/pld"


def colour(name: str) -> str:
    """The colour of a method, by its name in configurations."""
    return style.LOWER if name == "source_only" else style.CYCLE[(_place(name) - 1) % len(style.CYCLE)]


def mark(name: str) -> str:
    """The mark of a method: more methods than there are colours have another one for each round of them."""
    return style.MARKS[max(0, _place(name) - 1) // len(style.CYCLE) % len(style.MARKS)]


def _place(name: str) -> int:
    others = sorted({*METHODS.names(), name} - set(ORDER))
    return [*ORDER, *others].index(name)


def named(runs: pd.DataFrame) -> pd.DataFrame:
    """``runs`` by problem and in the order of methods, with what figures and the table ask of them.

    New columns: ``task`` is source and target; ``control`` says whether a run has a method's noise without its
    gradient, and ``private`` whether it is private or such a control, which has no budget; ``panel`` and ``place``
    number problems and methods, and ``setting`` the labels, so that runs of one setting differ in their seeds only.

    Raises:
        ValueError: a column is missing.
    """
    require(runs, [f"{TASK}name", f"{TASK}source", f"{TASK}target", f"{METHOD}name", "seed", "delta", "accuracy"])
    require(runs, ["label", "problem", "method"])
    control = truth(runs[f"{METHOD}control"]) if f"{METHOD}control" in runs else pd.Series(False, index=runs.index)
    known = runs.assign(
        control=control,
        private=runs["delta"].notna() | control,
        task=runs[f"{TASK}source"].astype(str) + " to " + runs[f"{TASK}target"].astype(str),
        setting=runs.groupby(["problem", "label"], sort=False).ngroup(),
        panel=runs.groupby("problem", sort=False).ngroup(),
        place=runs[f"{METHOD}name"].map(_place),
    )
    return known.sort_values(["panel", "place", "setting", "seed"], kind="stable").reset_index(drop=True)


def _of_all(budgets: pd.Series[float]) -> float:
    return of_all(budgets, "upper")


def settings(runs: pd.DataFrame, accountant: str = PROVEN) -> pd.DataFrame:
    """One row per setting of `named` runs: mean and range of the accuracies in percent, seeds, and the worst budget.

    ``interval`` is half the width of Student's 95 % interval of the mean, missing with one seed.
    ``epsilon`` is the largest of the seeds' budgets by ``accountant`` (``epsilon/<kind>/<name>``), infinite where
    nothing finite is known of one of them, and missing for a run without privacy; ``delta`` is that of these budgets,
    ``share`` the largest δ × records. A mean is missing where a seed lacks its share.
    """
    means = ["sigma", "accuracy_held_out", "records", f"{METHOD}epsilon"]
    numbers = runs.reindex(columns=[accountant, *means]).astype(float)
    name = accountant.removeprefix("epsilon/")
    share = delta_times_records(runs, name)
    budget = numbers[accountant].mask(numbers[accountant].isna() & runs["delta"].notna(), math.inf)
    rows = runs.assign(**numbers, budget=budget, delta=deltas(runs, name), share=share)
    first = ["task", "private", "control", "method", "delta"]
    table = seeds.summarised(
        rows,
        ["panel", "problem", "place", "setting"],
        "accuracy",
        ("accuracy", "least", "most"),
        **{name: (name, "first") for name in first},
        dataset=(f"{TASK}name", "first"),
        name=(f"{METHOD}name", "first"),
        epochs=("parameters.epochs", "first"),
        seeds=("seed", "nunique"),
        epsilon=("budget", _of_all),
        **{name: (name, "mean") for name in means},
        share=("share", "max"),
        interval=("accuracy", half_width),
    )
    table[["accuracy", "least", "most", "accuracy_held_out", "interval"]] *= 100
    shown = [
        "panel",
        "problem",
        "place",
        "setting",
        "task",
        "dataset",
        "name",
        "private",
        "control",
        "method",
        "epochs",
    ]
    return table[[*shown, "accuracy", "least", "most", "interval", "seeds", "epsilon", "delta", *means, "share"]]
