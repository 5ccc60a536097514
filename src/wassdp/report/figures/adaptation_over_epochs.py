"""Accuracy on the target over epochs: one panel per problem, one line per method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from wassdp.report import style
from wassdp.report._adaptation import colour, named
from wassdp.report._frames import curves


class Options(style.Options):
    """Options of this figure."""

    metric: str = Field(default="accuracy", description="curve along epochs: accuracy, source_loss, distance, ...")
    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, with a band from the smallest to the largest.

    Settings of one method differ in their dashes. Runs whose method has no such curve are left out.

    Raises:
        ValueError: a column is missing, a method is unknown, or no run has the curve.
    """
    chosen = Options.model_validate(options)
    own = named(runs)
    with_curve = set(history.loc[(history["metric"] == chosen.metric) & (history["axis"] == "epoch"), "run"])
    own = own[own["run"].isin(with_curve)]
    if own.empty:
        raise ValueError(f"metric = {chosen.metric!r}: no run has this curve along epochs")
    data = _data(own, history, chosen.metric)
    looks = _looks(own)
    with style.context():
        figure, axes = style.wide_panels(data["problem"].nunique())
        for axis, (problem, rows) in zip(axes, data.groupby("problem", sort=False), strict=True):
            for (_, line), part in rows.groupby(["setting", "line"], sort=False):
                axis.plot(part["epoch"], part["mean"], **looks[str(line)])
                axis.fill_between(
                    part["epoch"], part["least"], part["most"], color=looks[str(line)]["color"], alpha=0.2, linewidth=0
                )
            axis.set_title(str(problem))
            axis.set_xlabel("epoch")
            accuracy = chosen.metric == "accuracy"
            axis.set_ylabel("accuracy on the target (%)" if accuracy else chosen.metric.replace("_", " "))
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            if chosen.least is not None:
                axis.set_ylim(bottom=chosen.least)
        style.legend_right(figure, [Line2D([], [], label=line, **look) for line, look in looks.items()])
    return figure, data


def lines(own: pd.DataFrame) -> pd.Series[str]:
    """What each run's line is called: its method, with the noise where a method has several in one problem."""
    names = own["method"].astype(str)
    if "sigma" not in own:
        return names
    several = own.groupby(["problem", "method"])["sigma"].transform("nunique") > 1
    return names.where(~several, names + ", σ = " + own["sigma"].map("{:.3g}".format))


def _data(own: pd.DataFrame, history: pd.DataFrame, metric: str) -> pd.DataFrame:
    own = own.assign(line=lines(own))
    points = curves(own[["run", "panel", "problem", "place", "setting", "line"]], history, metric, "epoch")
    if metric == "accuracy":
        points["value"] *= 100
    keys = ["panel", "problem", "place", "setting", "line", "position"]
    table = points.groupby(keys)["value"].agg(["mean", "min", "max", "count"]).reset_index()
    table = table.rename(columns={"position": "epoch", "min": "least", "max": "most", "count": "seeds"})
    return table.sort_values(["panel", "place", "setting", "epoch"]).reset_index(drop=True)


def _looks(own: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """A look for each line: the colour of its method, dashes for its place among the method's lines."""
    used: dict[str, int] = {}
    looks: dict[str, dict[str, Any]] = {}
    for line, name in dict.fromkeys(zip(lines(own), own["parameters.method.name"], strict=True)):
        dash = used.setdefault(name, 0)
        used[name] += 1
        looks[line] = {"color": colour(name), "linestyle": style.DASHES[dash % len(style.DASHES)]}
    return looks
