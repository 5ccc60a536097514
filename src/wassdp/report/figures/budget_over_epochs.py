"""Budget over epochs: one panel per setting, one line per accountant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from pydantic import Field

from wassdp import checks
from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import kind_of
from wassdp.report import called, seeds, style
from wassdp.report.frames import power, require, titled
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, at_budgets, in_order, label, release

PREFIX = "epsilon/"
LONG = 40  # letters of a title that is broken in two
OF_SEEDS: dict[Kind, Literal["mean", "max", "min"]] = {"upper": "max", "lower": "min", "published": "mean"}
"""What of the seeds a line shows: what holds for every one of them; published figures have nothing of the kind."""
MARKERS = ("o", "s", "^", "D")


class BudgetOverEpochs(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Budget spent after each epoch of training, by accountant: proven upper bounds solid and black, published
    formulas dashed and in colour, lower bounds, where there are any, dotted and grey. {% if show %}Shown: {{ show |
    join(", ") }}. {% endif %}Mean over the seeds, with a band from the smallest to the largest. The neighbouring
    relation, the sampling scheme and delta stand above the panels; an accountant without a finite budget is named
    in the panel instead of drawn.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose budget names a panel")
    show: tuple[str, ...] = Field(default=(), description="kind/name of the accountants to show; empty: all there are")
    budgets: tuple[float, ...] = Field(
        default=(), description="final epsilons to show, to two decimals, rounded up; empty: a panel for every setting"
    )
    columns: int = Field(default=2, ge=1, description="panels in a row, at most")
    log: bool = Field(default=False, description="logarithmic vertical axis")

    def accountants_needed(self) -> tuple[str, ...]:
        return self.accountant, *self.show

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Of the seeds the largest upper bound, or the mean of what is published, with a band over all.

        Unbounded budgets are left out.

        Runs without privacy have no budget and no panel.

        Raises:
            ValueError: a column is missing, an accountant or budget to show is not there, or no run has a budget.
        """
        require(runs, ["run", "seed", "delta", DATASET])
        private = runs[runs["delta"].notna()]
        if private.empty:
            raise ValueError("runs: none released anything private, so that there is no budget to show")
        named = label(private, accountant=self.accountant)
        points = _points(at_budgets(named, self.budgets) if self.budgets else named, history, self)
        data = _data(points, named)
        panels = list(points.groupby(["dataset", "setting"], sort=False))
        columns = min(self.columns, len(panels))
        figure, axes = style.panels(-(-len(panels) // columns), columns, share_x=False)
        figure.set_size_inches((4.35, style.WIDEST)[columns > 1], figure.get_figheight() + 0.5)
        titles = [f"{titled(dataset)}: {setting}" for (dataset, setting), _ in panels]
        long = max(map(len, titles)) > LONG
        looks = _looks(data["accountant"].unique())
        for axis, title, (_, rows) in zip(axes, titles, panels, strict=False):
            _panel(axis, rows, looks)
            axis.set_title(title.replace(", ", ",\n", 1 if long else 0))
            axis.set_yscale("log" if self.log else "linear")
            axis.set_xlim(left=0)
            style.epochs(axis, bottom=None if self.log else 0)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for place, axis in enumerate(axes):
            axis.set_ylabel("" if place % columns else r"privacy budget $\varepsilon$")
        common = f"delta/{self.accountant}"
        entries = [(_name(private, name, common), look) for name, look in looks.items()]
        style.legend_below(figure, entries, columns=min(len(entries), 3 * columns))
        style.over(figure, release(private, self.accountant))
        return figure, data


def _points(named: pd.DataFrame, history: pd.DataFrame, options: BudgetOverEpochs) -> pd.DataFrame:
    """The budgets of all seeds, in the order of datasets, of ``named`` and of accountants."""
    points = history[history["metric"].str.startswith(PREFIX) & (history["axis"] == "epoch")]
    points = points.merge(named[["run", DATASET, "setting"]], on="run", validate="many_to_one")
    if points.empty:
        raise ValueError("history: has no budget along epochs for these runs")
    points["accountant"] = points["metric"].str.removeprefix(PREFIX)
    for name in options.show:
        checks.one_of("show", name, set(points["accountant"]))
    if options.show:
        points = points[points["accountant"].isin(options.show)]
    points = points.rename(columns={"position": "epoch", "value": "epsilon", DATASET: "dataset"})
    return in_order(points, named, ["dataset", "setting", "accountant", "epoch"])


def _data(points: pd.DataFrame, named: pd.DataFrame) -> pd.DataFrame:
    keys = ["dataset", "setting", "accountant", "epoch"]
    table = seeds.summarised(points, keys, "epsilon", seeds.ranged("epsilon"), seeds=("epsilon", "count"))
    table["kind"] = table["accountant"].str.split("/").str[0]
    table["epsilon"] = table["epsilon"].mask(table["kind"] == "upper", table["epsilon_most"])
    table["epsilon"] = table["epsilon"].mask(table["kind"] == "lower", table["epsilon_least"])
    table["delta"] = table["accountant"].map(lambda name: named[f"delta/{name}"].max())
    return table


def _name(runs: pd.DataFrame, accountant: str, common: str) -> str:
    """The accountant, with its delta if that is not the one above the panels."""
    deltas = sorted(set(runs[f"delta/{accountant}"].dropna()))
    if deltas == sorted(set(runs[common].dropna())):
        return called.accountant(accountant)
    return rf"{called.accountant(accountant)} ($\delta$ = {', '.join(map(power, deltas))})"


def _looks(accountants: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Upper bounds solid and black, published formulas dashed and in colour, lower bounds dotted and grey.

    Upper and lower bounds of several accountants are told apart by markers.
    """
    looks: dict[str, dict[str, Any]] = {}
    seen: Counter[str] = Counter()
    for name in sorted(accountants, key=lambda name: (kind_of(name) != "upper", name)):
        kind = kind_of(name)
        place = seen[kind]
        seen[kind] += 1
        own = style.KINDS.get(called.framework(name) or "", style.OTHERS[place % len(style.OTHERS)])
        colour = {"upper": style.UPPER, "lower": style.LOWER}.get(kind, own)
        # Several formulas of one framework have its colour: their dashes tell them apart.
        dash = {"upper": style.DASHES[0], "lower": style.DASHES[2]}.get(kind, style.DASHES[1 + place % 5])
        looks[name] = {"color": colour, "linestyle": dash, "linewidth": 2.0 if kind == "upper" else 1.5}
        if kind != "published" and place:
            marker = MARKERS[(place - 1) % len(MARKERS)]
            looks[name] |= {"linewidth": 1.2, "marker": marker, "markersize": 4.5, "markerfacecolor": "white"}
    return looks


def _panel(axis: Axes, panel: pd.DataFrame, looks: Mapping[str, style.Look]) -> None:
    unbounded = []
    for name, rows in panel.groupby("accountant"):
        seeds.band(axis, rows, "epoch", "epsilon", through=OF_SEEDS[kind_of(str(name))], **looks[str(name)])
        if not np.isfinite(rows["epsilon"]).any():
            unbounded.append(f"{called.accountant(str(name))}:\nno finite budget")
    if unbounded:
        place: style.Look = {"transform": axis.transAxes, "ha": "center", "va": "center"}
        axis.text(0.5, 0.5, "\n".join(unbounded), fontsize=7.5, **place)
