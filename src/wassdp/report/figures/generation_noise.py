"""Why methods of generation differ: accuracy over the signal of a released number against its noise."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import pandas as pd
import seaborn as sns

from wassdp.report import short_labels, style
from wassdp.report.frames import require, titled
from wassdp.report.generation import OfClassifier, lines
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import budget_name

SIGNAL = "signal_to_noise"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


class GenerationNoise(OfClassifier, Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Why methods of generation differ: share of real test images that a classifier trained on generated images gets
    right ({{ "MLP" if classifier == "accuracy_mlp" else "logistic regression" }}), over how far private rows (of a
    class, where labels are public) spread along a mean direction, divided by the deviation of the noise on one
    released number. DP-SWD has noise on every row; the gradient of a sliced distance is a mean of rows, and its
    noise falls with their number. Each mark is one proven budget (``{{ accountant }}``), mean over the seeds;
    methods are called by what tells them apart, the data beside the figure have them in full.
    Spread and accuracy are evaluation, no part of the release.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per dataset, one line per method, one shape per budget: mean over the seeds.

        Runs that released no rows and no gradients of them, and those without noise, have no place on the axis.

        Raises:
            ValueError: a column is missing, or there is no run to show.
        """
        known = self.named(runs)
        require(runs, [SIGNAL])
        # As in the figure of accuracies; a method under several relations is one line here, of the first one's colour.
        everywhere = self.colours(known)
        known = known[known[SIGNAL].notna()]
        if known.empty:
            raise ValueError(f"runs: none has {SIGNAL}")
        data = self.summary(known, ["method"], signal_to_noise=(SIGNAL, "mean"))
        data = data.drop(columns=["accuracy_least", "accuracy_most"])
        of_method = known.assign(line=lines(known)).sort_values("line").drop_duplicates("method")
        colours = {row["method"]: everywhere[row["line"]] for _, row in of_method.iterrows()}
        # Budgets are told by shapes: written at every point they would cover each other.
        marks = dict(zip(sorted(data["epsilon"].unique()), itertools.cycle(MARKERS), strict=False))
        figure, axes = style.wide_panels(data["dataset"].nunique())
        for axis, (dataset, rows) in zip(axes, data.groupby("dataset", sort=False), strict=True):
            place: dict[str, Any] = {"x": SIGNAL, "y": "accuracy", "hue": "method", "palette": colours, "ax": axis}
            sns.lineplot(rows, estimator=None, sort=False, legend=False, **place)
            sns.scatterplot(rows, style="epsilon", markers=marks, s=34, linewidth=0, legend=False, zorder=3, **place)
            axis.set_xscale("log")
            axis.margins(x=0.12, y=0.12)
            style.plain_log_ticks(axis)
            what = "spread of private rows along a direction\nover the noise on a released number"
            axis.set(title=titled(dataset), xlabel=what, ylabel=self.axis())
        shape: style.Look = {"color": style.LOWER, "linestyle": "", "markersize": 5}
        names = short_labels.short(colours)
        methods = [
            (style.filled(names[method], short_labels.LETTERS), {"color": colours[method]}) for method in colours
        ]
        shapes = [(budget_name(budget), {"marker": mark, **shape}) for budget, mark in marks.items()]
        style.legend_right(figure, [*methods, *shapes])
        return figure, data
