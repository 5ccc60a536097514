"""Test accuracy over the budget it cost: one panel per dataset, one line per model; the non-private level beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter
from pydantic import Field

from wassdp.report import style
from wassdp.report._frames import require
from wassdp.report._settings import DATASET, MODEL, label, release, rounded


class Options(style.Options):
    """Options of this figure."""

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant on the horizontal axis")
    lines: tuple[str, ...] = Field(default=(MODEL,), description="columns of the table of runs that make a line")
    log: bool = Field(default=True, description="logarithmic horizontal axis")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds with bars from the smallest to the largest; each seed as a dot.

    A run whose budget is not finite has no place on the axis and is left out of the picture, not of the data.

    Raises:
        ValueError: a column is missing, no run has a finite budget, or the budgets do not belong on one axis.
    """
    chosen = Options.model_validate(options)
    require(runs, ["run", "seed", "accuracy", DATASET, *chosen.lines])
    named = label(runs, accountant=chosen.accountant)
    named["line"] = named[list(chosen.lines)].astype(str).agg(", ".join, axis=1)
    data = _data(named)
    if not np.isfinite(data["epsilon"]).any():
        raise ValueError(f"runs: none has a finite epsilon/{chosen.accountant}")
    with style.context():
        datasets = list(dict.fromkeys(data["dataset"]))
        lines = list(dict.fromkeys(data["line"]))
        figure, axes = style.panels(1, len(datasets), share_x=False)
        figure.set_size_inches(1.5 * style.PANEL[0] * len(datasets), 1.3 * style.PANEL[1])
        for axis, dataset in zip(axes, datasets, strict=True):
            for line, rows in data[data["dataset"] == dataset].groupby("line", sort=False):
                dots = named[(named[DATASET] == dataset) & (named["line"] == line)]
                _line(axis, rows, dots, style.CYCLE[lines.index(str(line)) % len(style.CYCLE)])
            axis.set_title(dataset)
            axis.set_xlabel(rf"$\varepsilon$ ({chosen.accountant}; {release(runs)})", fontsize=7)
            axis.set_ylabel("test accuracy (%)")
            if chosen.log:
                _logarithmic(axis, data.loc[data["dataset"] == dataset, "epsilon"])
            axis.legend(loc="lower right")
    return figure, data


def _data(named: pd.DataFrame) -> pd.DataFrame:
    # Seeds of one setting may differ in the last digits of a calibrated budget: group by the setting, not by epsilon.
    groups = named.groupby([DATASET, "line", "setting"], sort=False)
    table = groups.agg(
        epsilon=("budget", "mean"),
        accuracy=("accuracy", "mean"),
        accuracy_least=("accuracy", "min"),
        accuracy_most=("accuracy", "max"),
        seeds=("seed", "nunique"),
    ).reset_index()
    share = ["accuracy", "accuracy_least", "accuracy_most"]
    table[share] *= 100
    return table.rename(columns={DATASET: "dataset"}).sort_values(["dataset", "line", "epsilon"]).reset_index(drop=True)


def _line(axis: Axes, rows: pd.DataFrame, dots: pd.DataFrame, colour: str) -> None:
    finite = rows[np.isfinite(rows["epsilon"])]
    name = str(rows["line"].iloc[0])
    if not finite.empty:
        bars = [finite["accuracy"] - finite["accuracy_least"], finite["accuracy_most"] - finite["accuracy"]]
        axis.errorbar(
            finite["epsilon"], finite["accuracy"], yerr=bars, color=colour, marker="o", markersize=3.5, capsize=3
        )
        axis.plot([], [], color=colour, marker="o", markersize=3.5, label=name)
        axis.scatter(dots["budget"], 100 * dots["accuracy"], s=14, facecolor="none", edgecolor=colour, linewidth=0.7)
    for _, row in rows[rows["epsilon"].isna()].iterrows():
        axis.axhline(row["accuracy"], color=colour, linestyle=(0, (4, 2)), linewidth=1.1, label=f"{name}, no privacy")
        axis.axhspan(row["accuracy_least"], row["accuracy_most"], color=colour, alpha=0.12, linewidth=0)


def _logarithmic(axis: Axes, budgets: pd.Series[float]) -> None:
    finite = sorted({rounded(value) for value in budgets[np.isfinite(budgets)]})
    axis.set_xscale("log")
    if len(finite) <= 8:
        # The budgets themselves are the ticks: a reader wants these numbers, not powers of ten.
        axis.set_xticks(finite, [f"{value:g}" for value in finite])
        axis.minorticks_off()
    else:
        axis.xaxis.set_major_formatter(ScalarFormatter())
