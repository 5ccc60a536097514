"""Test accuracy over epochs: one panel per dataset, one line per setting, named by its final budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from wassdp.report import style
from wassdp.report._frames import curves, require
from wassdp.report._settings import DATASET, label, release


class Options(style.Options):
    """Options of this figure."""

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose budget names a line")
    metric: str = Field(default="accuracy", description="curve along epochs: accuracy, test_loss or train_loss")
    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, with a band from the smallest to the largest.

    Raises:
        ValueError: a column or curve is missing, or the runs' budgets do not belong together.
    """
    chosen = Options.model_validate(options)
    require(runs, ["run", "seed", DATASET])
    named = label(runs, accountant=chosen.accountant)
    data = _data(named, history, chosen)
    settings = list(dict.fromkeys(named["setting"]))
    with style.context():
        datasets = list(dict.fromkeys(data["dataset"]))
        figure, axes = style.panels(1, len(datasets), share_x=False)
        figure.set_size_inches(1.5 * style.PANEL[0] * len(datasets), 1.3 * style.PANEL[1])
        for axis, dataset in zip(axes, datasets, strict=True):
            for setting, rows in data[data["dataset"] == dataset].groupby("setting", sort=False):
                _line(axis, rows, settings.index(str(setting)), chosen)
            axis.set_title(dataset)
            axis.set_xlabel("epoch")
            axis.set_ylabel({"accuracy": "test accuracy (%)"}.get(chosen.metric, chosen.metric.replace("_", " ")))
            axis.set_xlim(left=0)
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            if chosen.least is not None:
                axis.set_ylim(bottom=chosen.least)
            axis.legend(title=f"{chosen.accountant} bound, {release(runs)}", title_fontsize=6.5)
    return figure, data


def _data(named: pd.DataFrame, history: pd.DataFrame, options: Options) -> pd.DataFrame:
    points = curves(named[["run", DATASET, "setting", "budget"]], history, options.metric, "epoch")
    if options.metric == "accuracy":
        points["value"] *= 100
    order = {name: place for place, name in enumerate(dict.fromkeys(named["setting"]))}
    spread = points.groupby([DATASET, "setting", "position"])["value"].agg(["mean", "min", "max", "count"])
    budgets = named.groupby([DATASET, "setting"])["budget"].mean().rename("epsilon")
    table = spread.reset_index().join(budgets, on=[DATASET, "setting"])
    table = table.rename(
        columns={
            DATASET: "dataset",
            "position": "epoch",
            "mean": options.metric,
            "min": f"{options.metric}_least",
            "max": f"{options.metric}_most",
            "count": "seeds",
        }
    )
    return table.sort_values(
        ["dataset", "setting", "epoch"], key=lambda column: column.map(order) if column.name == "setting" else column
    ).reset_index(drop=True)


def _line(axis: Axes, rows: pd.DataFrame, place: int, options: Options) -> None:
    without = bool(rows["epsilon"].isna().all())
    look: dict[str, Any] = {
        "color": style.LOWER if without else style.CYCLE[place % len(style.CYCLE)],
        "linestyle": (0, (4, 2)) if without else "-",
    }
    epochs = rows["epoch"]
    axis.plot(epochs, rows[options.metric], label=str(rows["setting"].iloc[0]), **look)
    axis.fill_between(
        epochs,
        rows[f"{options.metric}_least"],
        rows[f"{options.metric}_most"],
        color=look["color"],
        alpha=0.2,
        linewidth=0,
    )
