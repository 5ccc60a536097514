"""Accuracy on the target over epochs: one panel per problem or private method, one line per setting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from wassdp.accounting.rounding import rounded as bound
from wassdp.report import seeds, style
from wassdp.report.adaptation import METHOD, PROVEN, colour, named
from wassdp.report.frames import curves
from wassdp.report.kinds import Drawing, Figure

NAMED = ["panel", "problem", "place", "method", "private", "setting", "line"]


class AdaptationOverEpochs(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Accuracy on the target after every epoch of adaptation, one panel for each {% if panels == "method" %}private
    method, with what is not private in all of them{% else %}pair of domains{% endif %}: mean over the seeds, band
    from the smallest to the largest. An epoch is one pass over the source. The first epochs have the source's
    cross-entropy alone; *source only* stays with it. A noise that was calibrated is told by the budget it is proven
    for, any other by its σ. Accuracies on the target are evaluation: no budget covers them.
    """

    metric: str = Field(default="accuracy", description="curve along epochs: accuracy, source_loss, distance, ...")
    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")
    panels: Literal["problem", "method"] = Field(
        default="problem", description="a panel for each problem, or for each of its private methods"
    )

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        Settings of one method differ in their dashes. With a panel for each private method, those without privacy stand
        in all of them, without their bands. Runs whose method has no such curve are left out.

        Raises:
            ValueError: a column is missing, a method is unknown, or no run has the curve, or none of a private method
                that is to have a panel.
        """
        own = named(runs)
        with_curve = set(history.loc[(history["metric"] == self.metric) & (history["axis"] == "epoch"), "run"])
        own = own[own["run"].isin(with_curve)]
        if own.empty:
            raise ValueError(f"metric = {self.metric!r}: no run has this curve along epochs")
        points = _points(own, history, self.metric)
        data = _data(points)
        apart = self.panels == "method"
        if apart and not data["private"].any():
            raise ValueError("panels = 'method': no run is private")
        looks = _looks(own, apart=apart)
        with style.context():
            parts = _by_method(points) if apart else dict(iter(points.groupby("problem", sort=False)))
            figure, axes = style.wide_panels(len(parts))
            for axis, (title, rows) in zip(axes, parts.items(), strict=True):
                for (_, line), part in rows.groupby(["setting", "line"], sort=False):
                    alone = apart and not part["private"].any()
                    seeds.band(axis, part, "epoch", "value", alpha=0.0 if alone else 0.2, **looks[str(line)])
                axis.set_title(str(title))
                axis.set_xlabel("epoch")
                accuracy = self.metric == "accuracy"
                axis.set_ylabel("accuracy on the target (%)" if accuracy else self.metric.replace("_", " "))
                axis.xaxis.set_major_locator(MaxNLocator(integer=True))
                if self.least is not None:
                    axis.set_ylim(bottom=self.least)
                if apart:
                    _legend(axis, rows[rows["private"]], looks)
            shown = dict.fromkeys(data.loc[~data["private"], "line"] if apart else looks)
            style.legend_right(figure, [Line2D([], [], label=line, **looks[line]) for line in shown])
        return figure, data


def _by_method(points: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Points of each panel by its title: one private method of one problem, and what is not private there."""
    found = {}
    several = points["problem"].nunique() > 1
    for problem, rows in points.groupby("problem", sort=False):
        for method in dict.fromkeys(rows.loc[rows["private"], "method"]):
            title = f"{problem}\n{method}" if several else str(method)
            found[title] = rows[~rows["private"] | (rows["method"] == method)]
    return found


def _legend(axis: Axes, rows: pd.DataFrame, looks: Mapping[str, dict[str, Any]]) -> None:
    """The settings of a panel's own method, below it: the lines of unadapted networks cross every corner."""
    names = dict.fromkeys(zip(rows["line"], rows["method"], strict=True))
    handles = [Line2D([], [], label=line.removeprefix(f"{method}, "), **looks[line]) for line, method in names]
    axis.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


def lines(own: pd.DataFrame) -> pd.Series[str]:
    """What each run's line is called: its method, and where a method has several noises in one problem, their size.

    A noise that was calibrated for a budget, and proves it, is told by that budget, any other by its σ.
    """
    names = own["method"].astype(str)
    if "sigma" not in own:
        return names
    several = own.groupby(["problem", "method"])["sigma"].transform("nunique") > 1
    sizes = "σ = " + own["sigma"].map("{:.3g}".format)
    if f"{METHOD}epsilon" in own and PROVEN in own:
        asked = own[f"{METHOD}epsilon"]
        sizes = sizes.where(~(own[PROVEN] <= asked), "proven ε = " + asked.map(_asked))
    return names.where(~several, names + ", " + sizes)


def _asked(budget: float) -> str:
    """A budget that was asked for and kept, as text that is no smaller; nothing where none was."""
    return "" if math.isnan(budget) else bound(budget, "upper", digits=3)


def _points(own: pd.DataFrame, history: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The curves of all seeds, by problem and method; an accuracy in percent."""
    own = own.assign(line=lines(own))
    points = curves(own[["run", *NAMED]], history, metric, "epoch").rename(columns={"position": "epoch"})
    if metric == "accuracy":
        points["value"] *= 100
    return points.sort_values(["panel", "place", "setting", "epoch"], kind="stable")


def _data(points: pd.DataFrame) -> pd.DataFrame:
    spread = points.groupby([*NAMED, "epoch"], sort=False)["value"].agg(["mean", "min", "max", "count"])
    return spread.reset_index().rename(columns={"min": "least", "max": "most", "count": "seeds"})


def _looks(own: pd.DataFrame, *, apart: bool) -> dict[str, dict[str, Any]]:
    """A look for each line: the colour of its method, dashes for its place among the lines of that colour and panel."""
    used: dict[str, int] = {}
    looks: dict[str, dict[str, Any]] = {}
    together = own["parameters.method.name"].where(~(own["private"] & apart), own["method"])
    for line, name, kind in dict.fromkeys(zip(lines(own), own["parameters.method.name"], together, strict=True)):
        dash = used.setdefault(kind, 0)
        used[kind] += 1
        looks[line] = {"color": colour(name), "linestyle": style.DASHES[dash % len(style.DASHES)]}
    return looks
