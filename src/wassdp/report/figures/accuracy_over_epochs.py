"""Test accuracy over epochs: one panel per dataset, one line per setting, named and coloured by its final budget."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from wassdp.report import seeds, style
from wassdp.report.frames import curves, require
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, budget_name, colours, heading, label


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
    metric: str = Field(default="accuracy", description="curve along epochs: accuracy, test_loss or train_loss")
    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        Settings of one dataset and budget share its colour and differ in their dashes.

        Raises:
            ValueError: a column or curve is missing, or the runs' budgets do not belong together.
        """
        require(runs, ["run", "seed", DATASET])
        named = label(runs, accountant=self.accountant)
        points = _points(named, history, self.metric)
        data = _data(points, named, self.metric)
        looks = _looks(named)
        with style.context():
            datasets = list(dict.fromkeys(data["dataset"]))
            figure, axes = style.wide_panels(len(datasets))
            for axis, dataset in zip(axes, datasets, strict=True):
                for setting, rows in points[points[DATASET] == dataset].groupby("setting", sort=False):
                    seeds.band(axis, rows, "epoch", self.metric, **looks[str(setting)])
                axis.set_title(dataset)
                axis.set_xlabel("epoch")
                axis.set_ylabel({"accuracy": "test accuracy (%)"}.get(self.metric, self.metric.replace("_", " ")))
                axis.set_xlim(left=0)
                axis.xaxis.set_major_locator(MaxNLocator(integer=True))
                if self.least is not None:
                    axis.set_ylim(bottom=self.least)
            title = heading(runs, self.accountant)
            handles = [Line2D([], [], label=name, **look) for name, look in looks.items()]
            # One panel with a few lines has room for its own legend.
            if len(datasets) == 1 and len(looks) <= style.ORDERED_FROM:
                axes[0].legend(handles=handles, loc="lower right")
                # Whose bound it is, then what it holds for: one line of both is wider than a single panel.
                axes[0].set_title("\n".join([datasets[0], *title.split(", ", 1)]), fontsize="small")
            else:
                figure.suptitle(title, fontsize="small")
                style.legend_right(figure, handles)
        return figure, data


def _points(named: pd.DataFrame, history: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The curves of all seeds, in the order of datasets and of ``named``; an accuracy in percent."""
    points = curves(named[["run", DATASET, "setting"]], history, metric, "epoch")
    points = points.rename(columns={"position": "epoch", "value": metric}).drop(columns="metric")
    if metric == "accuracy":
        points[metric] *= 100
    order = {name: place for place, name in enumerate(dict.fromkeys(named["setting"]))}
    return points.sort_values(
        [DATASET, "setting", "epoch"], key=lambda column: column.map(order) if column.name == "setting" else column
    )


def _data(points: pd.DataFrame, named: pd.DataFrame, metric: str) -> pd.DataFrame:
    spread = points.groupby([DATASET, "setting", "epoch"], sort=False)[metric].agg(["mean", "min", "max", "count"])
    budgets = named.groupby([DATASET, "setting"])["budget"].max().rename("epsilon")
    table = spread.reset_index().join(budgets, on=[DATASET, "setting"])
    names = {"mean": metric, "min": f"{metric}_least", "max": f"{metric}_most", "count": "seeds"}
    return table.rename(columns={DATASET: "dataset", **names})


def _looks(named: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Setting to its look: colour by budget, grey without one; dashes by the rest of the name."""
    budgets = named["level"].map(budget_name)
    rests = [name.removeprefix(budget) for name, budget in zip(named["setting"], budgets, strict=True)]
    dashes = dict(zip(dict.fromkeys(rests), itertools.cycle(style.DASHES), strict=False))
    shades = colours(named)
    looks: dict[str, dict[str, Any]] = {}
    for setting, rest, budget, level in zip(named["setting"], rests, budgets, named["level"], strict=True):
        alone = math.isnan(level) and len(dashes) == 1
        looks[setting] = {"color": shades[budget], "linestyle": (0, (4, 2)) if alone else dashes[rest]}
    return looks
