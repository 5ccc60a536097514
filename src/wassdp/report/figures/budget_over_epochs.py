"""Budget over epochs: one panel per setting, one line per accountant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from wassdp import checks
from wassdp.report import style
from wassdp.report._frames import require
from wassdp.report._settings import DATASET, label, release

PREFIX = "epsilon/"


class Options(style.Options):
    """Options of this figure."""

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose budget names a panel")
    show: tuple[str, ...] = Field(default=(), description="kind/name of the accountants to show; empty: all there are")
    columns: int = Field(default=3, ge=1, description="panels in a row")
    log: bool = Field(default=False, description="logarithmic vertical axis")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, with a band from the smallest to the largest; unbounded budgets are left out.

    Runs without privacy have no budget and no panel.

    Raises:
        ValueError: a column is missing, an accountant to show is not there, or no run has a budget.
    """
    chosen = Options.model_validate(options)
    require(runs, ["run", "seed", "delta", DATASET])
    private = runs[runs["delta"].notna()]
    if private.empty:
        raise ValueError("runs: none released anything private, so that there is no budget to show")
    data = _data(label(private, accountant=chosen.accountant), history, chosen)
    with style.context():
        panels = list(dict.fromkeys(zip(data["dataset"], data["setting"], strict=True)))
        columns = min(chosen.columns, len(panels))
        figure, axes = style.panels(-(-len(panels) // columns), columns, share_x=False)
        figure.set_size_inches(max(1, columns) * 1.25 * style.PANEL[0], figure.get_figheight() + 0.5)
        looks = _looks(list(dict.fromkeys(data["accountant"])))
        for axis, (dataset, setting) in zip(axes, panels, strict=False):
            _panel(axis, data[(data["dataset"] == dataset) & (data["setting"] == setting)], looks)
            axis.set_title(f"{dataset}: {setting}")
            axis.set_xlabel("epoch")
            axis.set_yscale("log" if chosen.log else "linear")
            axis.set_xlim(left=0)
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            if not chosen.log:
                axis.set_ylim(bottom=0)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[::columns]:
            axis.set_ylabel(r"privacy budget $\varepsilon$")
        figure.suptitle(release(private), fontsize=8)
        handles = [Line2D([], [], label=name, **look) for name, look in looks.items()]
        style.legend_below(figure, handles, columns=min(len(handles), 3 * columns))
    return figure, data


def _data(named: pd.DataFrame, history: pd.DataFrame, options: Options) -> pd.DataFrame:
    points = history[history["metric"].str.startswith(PREFIX) & (history["axis"] == "epoch")]
    points = points.merge(named[["run", DATASET, "setting"]], on="run", validate="many_to_one")
    if points.empty:
        raise ValueError("history: has no budget along epochs for these runs")
    points["accountant"] = points["metric"].str.removeprefix(PREFIX)
    for name in options.show:
        checks.one_of("show", name, set(points["accountant"]))
    if options.show:
        points = points[points["accountant"].isin(options.show)]
    order = {name: place for place, name in enumerate(dict.fromkeys(named["setting"]))}
    keys = [DATASET, "setting", "accountant", "position"]
    spread = points.groupby(keys)["value"].agg(["mean", "min", "max", "count"]).reset_index()
    spread["kind"] = spread["accountant"].str.split("/").str[0]
    columns = ["dataset", "setting", "accountant", "epoch", "epsilon", "epsilon_least", "epsilon_most", "seeds", "kind"]
    table = spread.set_axis(columns, axis=1)
    return table.sort_values(
        ["dataset", "setting", "accountant", "epoch"],
        key=lambda column: column.map(order) if column.name == "setting" else column,
    ).reset_index(drop=True)


def _looks(accountants: list[str]) -> dict[str, dict[str, Any]]:
    """Proven budgets in black, attacked ones in grey, published ones in colour."""
    looks: dict[str, dict[str, Any]] = {}
    seen: dict[str, int] = {}
    for name in sorted(accountants, key=lambda each: (each.split("/")[0] != "upper", each)):
        kind = name.split("/")[0]
        place = seen[kind] = seen.get(kind, -1) + 1
        colour = {"upper": style.UPPER, "lower": style.LOWER}.get(kind, style.CYCLE[place % len(style.CYCLE)])
        dash = style.DASHES[place % len(style.DASHES)] if kind != "published" else style.DASHES[1]
        looks[name] = {"color": colour, "linestyle": dash, "linewidth": 2.0 if kind == "upper" else 1.5}
    return looks


def _panel(axis: Axes, panel: pd.DataFrame, looks: Mapping[str, Mapping[str, Any]]) -> None:
    for name, rows in panel.groupby("accountant", sort=False):
        finite = rows[np.isfinite(rows["epsilon"])]
        look = looks[str(name)]
        axis.plot(finite["epoch"], finite["epsilon"], **look)
        axis.fill_between(
            finite["epoch"],
            finite["epsilon_least"],
            finite["epsilon_most"],
            color=look["color"],
            alpha=0.2,
            linewidth=0,
        )
        if finite.empty:
            axis.text(0.5, 0.5, f"{name}: no finite budget", transform=axis.transAxes, ha="center", fontsize=7.5)
