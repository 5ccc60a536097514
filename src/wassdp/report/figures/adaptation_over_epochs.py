"""Accuracy on the target over epochs: one panel per problem or private method, one line per setting."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field

from wassdp.accounting.rounding import rounded as bound
from wassdp.report import seeds, style
from wassdp.report.adaptation import METHOD, PROVEN, colour, named
from wassdp.report.frames import curves, in_words
from wassdp.report.kinds import Drawing, Figure

NAMED = ["panel", "problem", "place", "method", "private", "setting", "line"]


class AdaptationOverEpochs(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Accuracy on the target after every epoch of adaptation, one panel for each {% if panels == "method" %}private
    method, with what is not private in all of them{% else %}pair of domains{% endif %}: mean over the seeds, band from
    the smallest to the largest{% if panels == "method" %}, which is left out for what is not private{% endif %}{% if
    least is not none %}; what lies below {{ "%g" | format(least) }} % is cut off{% endif %}. An epoch is one pass over
    the source. The first epochs have the source's cross-entropy alone; *source only* stays with it. A noise that was
    calibrated is told by the budget it is proven for, any other by its σ. Accuracies on the target are evaluation: no
    budget covers them.
    """

    metric: str = Field(
        default="accuracy",
        pattern=r"^\w{1,80}$",
        description="curve along epochs: accuracy, source_loss, distance, ...",
    )
    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")
    panels: Literal["problem", "method"] = Field(
        default="problem", description="a panel for each problem, or for each of its private methods"
    )

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        Settings of one method differ in their dashes. With a panel for each private method, those without privacy stand
        in all of them, without their bands. Runs whose method has no such curve are left out.

        Raises:
            ValueError: a column is missing, a method is unknown, or no run has the curve, or none of a private method
                that is to have a panel.
        """
        known = named(runs)
        with_curve = set(history.loc[(history["metric"] == self.metric) & (history["axis"] == "epoch"), "run"])
        known = known[known["run"].isin(with_curve)]
        if known.empty:
            raise ValueError(f"metric = {self.metric!r}: no run has this curve along epochs")
        known = known.assign(line=lines(known))
        points = curves(known[["run", *NAMED]], history, self.metric, "epoch")
        points = points.sort_values(["panel", "place", "setting", "epoch"], kind="stable")
        what = self.metric.replace("_", " ")
        if self.metric == "accuracy":
            points["value"] *= 100
            what = "accuracy on the target (%)"
        data = seeds.summarised(points, [*NAMED, "epoch"], "value", seeds=("value", "count"))
        apart = self.panels == "method"
        if apart and not data["private"].any():
            raise ValueError("panels = 'method': no run is private")
        looks = _looks(known, apart=apart)
        parts = _by_method(points) if apart else dict(iter(points.groupby("problem", sort=False)))
        figure, axes = style.wide_panels(len(parts))
        for axis, (title, panel) in zip(axes, parts.items(), strict=True):
            for (_, line), rows in panel.groupby(["setting", "line"], sort=False):
                alone = apart and not rows["private"].any()
                seeds.band(axis, rows, "epoch", "value", alpha=0.0 if alone else 0.2, **looks[str(line)])
            axis.set(title=textwrap.fill(in_words(str(title)), 40), ylabel=what)
            style.epochs(axis, bottom=self.least)
            if apart:
                # The settings of the panel's own method, below it: lines of unadapted networks cross every corner.
                private = panel[panel["private"]]
                names = dict.fromkeys(zip(private["line"], private["method"], strict=True))
                entries = style.handles((line.removeprefix(f"{method}, "), looks[line]) for line, method in names)
                axis.legend(handles=entries, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
        if apart and points["problem"].nunique() == 1:
            style.over(figure, in_words(str(points["problem"].iloc[0])))
        shown = dict.fromkeys(data.loc[~data["private"], "line"] if apart else looks)
        style.legend_right(figure, ((line, looks[line]) for line in shown))
        return figure, data


def _by_method(points: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Points of each panel by its title: one private method of one problem, and what is not private there."""
    panels = {}
    several = points["problem"].nunique() > 1
    for problem, rows in points.groupby("problem", sort=False):
        for method in dict.fromkeys(rows.loc[rows["private"], "method"]):
            title = f"{problem}\n{method}" if several else str(method)
            panels[title] = rows[~rows["private"] | (rows["method"] == method)]
    return panels


def lines(known: pd.DataFrame) -> pd.Series[str]:
    """What each run's line is called: its method, and where a method has several noises in one problem, their size.

    A noise that was calibrated for a budget, and proves it, is told by that budget, any other by its σ.
    """
    names = known["method"].astype(str)
    if "sigma" not in known:
        return names
    several = known.groupby(["problem", "method"])["sigma"].transform("nunique") > 1
    sizes = "σ = " + known["sigma"].map("{:.3g}".format)
    if f"{METHOD}epsilon" in known and PROVEN in known:
        asked = known[f"{METHOD}epsilon"]
        kept = asked.map(lambda budget: "" if math.isnan(budget) else bound(budget, "upper", digits=3))
        sizes = sizes.where(~(known[PROVEN] <= asked), "proven ε = " + kept)
    return names.where(~several, names + ", " + sizes)


def _looks(known: pd.DataFrame, *, apart: bool) -> dict[str, style.Look]:
    """A look for each line: the colour of its method, dashes for its place among the lines of that colour and panel."""
    used: dict[str, int] = defaultdict(int)
    looks: dict[str, style.Look] = {}
    names = known[f"{METHOD}name"]
    together = names.where(~(known["private"] & apart), known["method"])
    for line, name, kind in dict.fromkeys(zip(known["line"], names, together, strict=True)):
        looks[line] = {"color": colour(name), "linestyle": style.DASHES[used[kind] % len(style.DASHES)]}
        used[kind] += 1
    return looks
