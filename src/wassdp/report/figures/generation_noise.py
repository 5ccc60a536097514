"""Why methods of generation differ: accuracy over the signal of a released number against its noise."""

from __future__ import annotations

import itertools
import textwrap
from typing import Any, ClassVar

import pandas as pd
import seaborn as sns
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.generation import CLASSIFIERS, named, real_images_right
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, budget_name, rounded

SIGNAL = "signal_to_noise"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


class GenerationNoise(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Why methods of generation differ: share of real test images that a classifier trained on generated images gets
    right ({{ "MLP" if classifier == "accuracy_mlp" else "logistic regression" }}), over how far private rows (of a
    class, where labels are public) spread along a mean direction, divided by the deviation of the noise on one
    released number. DP-SWD has noise on every row; the gradient of a sliced distance is a mean of rows, and its
    noise falls with their number. Each mark is one proven budget (``{{ accountant }}``), mean over the seeds.
    Spread and accuracy are evaluation, no part of the release.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose epsilon is shown")
    classifier: str = Field(default="accuracy_mlp", description="accuracy_mlp or accuracy_logistic")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per dataset, one line per method, one shape per budget: mean over the seeds.

        Runs that released no rows and no gradients of them, and those without noise, have no place on the axis.

        Raises:
            ValueError: a column is missing, or there is no run to show.
        """
        if self.classifier not in CLASSIFIERS:
            raise ValueError(f"classifier = {self.classifier!r}: must be one of {', '.join(CLASSIFIERS)}")
        require(runs, [self.classifier, SIGNAL])
        own = named(runs, self.accountant)
        own = own[own[SIGNAL].notna()]
        if own.empty:
            raise ValueError(f"runs: none has {SIGNAL}")
        data = _summary(own, self.classifier)
        colours = dict(zip(dict.fromkeys(data["method"]), style.CYCLE * len(data), strict=False))
        # Budgets are told by shapes: written at every point they would cover each other.
        marks = dict(zip(sorted(data["epsilon"].unique()), itertools.cycle(MARKERS), strict=False))
        with style.context():
            figure, axes = style.wide_panels(data["dataset"].nunique())
            for axis, (dataset, rows) in zip(axes, data.groupby("dataset", sort=False), strict=True):
                place: dict[str, Any] = {"x": SIGNAL, "y": "accuracy", "hue": "method", "palette": colours, "ax": axis}
                sns.lineplot(rows, estimator=None, sort=False, legend=False, **place)
                sns.scatterplot(
                    rows, style="epsilon", markers=marks, s=34, linewidth=0, legend=False, zorder=3, **place
                )
                axis.set_title(str(dataset))
                axis.set_xscale("log")
                axis.margins(x=0.12, y=0.12)
                style.plain_log_ticks(axis)
                axis.set_xlabel("spread of private rows along a direction\nover the noise on a released number")
                axis.set_ylabel(real_images_right(self.classifier))
            handles = [
                Line2D([], [], color=colour, label=textwrap.fill(method, 38)) for method, colour in colours.items()
            ] + [
                Line2D([], [], color=style.LOWER, marker=mark, linestyle="", markersize=5, label=budget_name(budget))
                for budget, mark in marks.items()
            ]
            style.legend_right(figure, handles)
        return figure, data


def _summary(own: pd.DataFrame, classifier: str) -> pd.DataFrame:
    grouped = own.groupby([DATASET, "method", "setting"], sort=False)
    table = grouped.agg(
        epsilon=("budget", lambda budgets: rounded(budgets.max())),
        signal_to_noise=(SIGNAL, "mean"),
        accuracy=(classifier, "mean"),
        seeds=("seed", "nunique"),
    ).reset_index()
    table["accuracy"] *= 100
    columns = ["dataset", "method", "epsilon", SIGNAL, "accuracy", "seeds"]
    return table.rename(columns={DATASET: "dataset"}).sort_values(["dataset", "method", "epsilon"])[columns]
