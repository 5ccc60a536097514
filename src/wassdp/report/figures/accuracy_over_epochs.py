"""Test accuracy over epochs: one panel per dataset, one line per setting, named and coloured by its final budget."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar, Literal

import pandas as pd
from pydantic import Field

from wassdp.report import seeds, style
from wassdp.report.frames import curves, require, titled
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, budget_name, colours, heading, in_order, label


class AccuracyOverEpochs(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Test {{ metric | replace("_", " ") }} after each epoch of training: mean over the seeds, with a band from the
    smallest to the largest. A line is named by its final budget according to the accountant ``{{ accountant }}``;
    its neighbouring relation, sampling scheme and delta head the legend or the figure. One budget has one colour in
    all panels; five budgets and more go from dark (small) to light. Grey: the same model trained without clipping
    and noise. Test accuracies are evaluation; they are no part of what the budget covers.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose budget names a line")
    metric: Literal["accuracy", "test_loss", "train_loss"] = Field(default="accuracy", description="curve along epochs")
    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")

    def budgets_shown(self) -> tuple[str, ...]:
        return (self.accountant,)

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        Settings of one dataset and budget share its colour and differ in their dashes.

        Raises:
            ValueError: a column or curve is missing, or the runs' budgets do not belong together.
        """
        require(runs, ["run", "seed", DATASET])
        named = label(runs, accountant=self.accountant)
        points = curves(named[["run", DATASET, "setting"]], history, self.metric, "epoch")
        points = in_order(points, named, [DATASET, "setting", "epoch"]).rename(columns={DATASET: "dataset"})
        if self.metric == "accuracy":
            points["value"] *= 100
        data = _data(points, named, self.metric)
        looks = _looks(named)
        panels = list(points.groupby("dataset", sort=False))
        figure, axes = style.wide_panels(len(panels))
        for axis, (dataset, panel) in zip(axes, panels, strict=True):
            for setting, rows in panel.groupby("setting", sort=False):
                seeds.band(axis, rows, "epoch", "value", **looks[str(setting)])
            what = "test accuracy (%)" if self.metric == "accuracy" else self.metric.replace("_", " ")
            axis.set(title=titled(dataset), ylabel=what)
            axis.set_xlim(left=0)
            style.epochs(axis, bottom=self.least)
        style.legend_right(figure, looks.items())
        style.over(figure, heading(runs, self.accountant))
        return figure, data


def _data(points: pd.DataFrame, named: pd.DataFrame, metric: str) -> pd.DataFrame:
    names = seeds.ranged(metric)
    table = seeds.summarised(points, ["dataset", "setting", "epoch"], "value", names, seeds=("value", "count"))
    budgets = named.groupby([DATASET, "setting"])["budget"].max().rename("epsilon")
    return table.join(budgets, on=["dataset", "setting"])


def _looks(named: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Setting to its look: colour by budget, grey without one; dashes by the rest of the name."""
    budgets = named["level"].map(budget_name)
    rests = [name.removeprefix(budget) for name, budget in zip(named["setting"], budgets, strict=True)]
    dashes = dict(zip(dict.fromkeys(rests), itertools.cycle(style.DASHES), strict=False))
    shades = colours(named)
    looks: dict[str, dict[str, Any]] = {}
    for setting, rest, budget, level in zip(named["setting"], rests, budgets, named["level"], strict=True):
        alone = math.isnan(level) and len(dashes) == 1
        looks[setting] = {"color": shades[budget], "linestyle": style.DASHED if alone else dashes[rest]}
    return looks
