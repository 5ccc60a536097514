"""Accuracy of classifiers trained on generated images over the budget: proven here, claimed in print (SWD, Table 2)."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.report import style
from wassdp.report.frames import power, require
from wassdp.report.generation import CLASSIFIERS, named, printed, real_images_right
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, rounded, shared

MARKERS = ("s", "D", "^", "v", "P", "X")
GREY = "#444444"


class GenerationAccuracy(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Share of real test images that a classifier trained on generated images gets right ({{ "MLP" if classifier ==
    "accuracy_mlp" else "logistic regression" }}), over the proven budget of the generator's training (``{{
    accountant }}``). Mean over the seeds, bars from the least to the most. Lines name their neighbouring relation:
    budgets under different relations are not the same promise. Dashed: without privacy. {% if published %}Open
    marks: Table 2 of *Differentially Private Sliced Wasserstein Distance* at the budget that it claims. {% endif
    %}Accuracies are evaluation, no part of the release.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose epsilon is shown")
    classifier: str = Field(default="accuracy_mlp", description="accuracy_mlp or accuracy_logistic")
    published: bool = Field(default=True, description="mark the printed accuracies at the printed budget")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per dataset, one line per method and relation; mean over the seeds, bars from least to most.

        A run without a finite budget has no place on the axis: without privacy it is a dashed line, in the colour of
        the same method with privacy, and where nothing is proven it is in the data only.

        Raises:
            ValueError: a column is missing, or there is no run to show.
        """
        if self.classifier not in CLASSIFIERS:
            raise ValueError(f"classifier = {self.classifier!r}: must be one of {', '.join(CLASSIFIERS)}")
        require(runs, [self.classifier])
        own = named(runs, self.accountant)
        suffix = ""
        if own["delta"].notna().any():
            suffix = rf", $\delta$ = {power(shared(own, 'delta', self.accountant))}"
        data = _summary(own, self.classifier)
        claims = printed()
        claims = claims[claims["dataset"].isin(data["dataset"])] if self.published else claims.iloc[:0]
        colours = _colours(data)
        with style.context():
            figure, axes = style.wide_panels(data["dataset"].nunique())
            for axis, (dataset, rows) in zip(axes, data.groupby("dataset", sort=False), strict=True):
                for line, part in rows.groupby("line", sort=False):
                    _line(axis, part, colours[str(line)])
                _claims(axis, claims[claims["dataset"] == dataset], self.classifier)
                axis.set_title(str(dataset))
                axis.set_xlabel(rf"$\varepsilon$ ({self.accountant}{suffix})")
                axis.set_ylabel(real_images_right(self.classifier))
                _logarithmic(axis)
            style.legend_right(figure, _handles(data, colours, claims))
        return figure, data


def _summary(own: pd.DataFrame, classifier: str) -> pd.DataFrame:
    lines = own["method"] + own["relation"].map(lambda words: f" ({words})" if words else "")
    method = own["method"].str.removeprefix("DP-")
    grouped = own.assign(line=lines, method=method).groupby([DATASET, "line", "method", "setting"], sort=False)
    table = grouped.agg(
        epsilon=("budget", lambda budgets: rounded(budgets.max())),
        accuracy=(classifier, "mean"),
        accuracy_least=(classifier, "min"),
        accuracy_most=(classifier, "max"),
        seeds=("seed", "nunique"),
    ).reset_index()
    table[["accuracy", "accuracy_least", "accuracy_most"]] *= 100
    columns = ["dataset", "line", "method", "epsilon", "accuracy", "accuracy_least", "accuracy_most", "seeds"]
    return table.rename(columns={DATASET: "dataset"}).sort_values(["dataset", "line", "epsilon"])[columns]


def _colours(data: pd.DataFrame) -> dict[str, str]:
    """A colour for each line; a method without privacy has that of its first line with it."""
    private = data[data["epsilon"].notna()]
    found = dict(zip(dict.fromkeys(private["line"]), style.CYCLE * len(data), strict=False))
    partners = dict(zip(private["method"][::-1], private["line"][::-1], strict=True))
    for line, method in dict(zip(data["line"], data["method"], strict=True)).items():
        if line not in found:
            found[line] = found[partners[method]] if method in partners else style.CYCLE[len(found) % len(style.CYCLE)]
    return found


def _line(axis: Axes, rows: pd.DataFrame, colour: str) -> None:
    finite = rows[np.isfinite(rows["epsilon"])]
    if not finite.empty:
        bars = [finite["accuracy"] - finite["accuracy_least"], finite["accuracy_most"] - finite["accuracy"]]
        axis.errorbar(
            finite["epsilon"], finite["accuracy"], yerr=bars, capsize=3, color=colour, marker="o", markersize=4
        )
    for level in rows.loc[rows["epsilon"].isna(), "accuracy"]:
        axis.axhline(level, color=colour, linestyle=style.DASHES[1], linewidth=1.1)


def _claims(axis: Axes, claims: pd.DataFrame, classifier: str) -> None:
    column = classifier.removeprefix("accuracy_")
    for marker, (_, row) in zip(MARKERS, claims.iterrows(), strict=False):
        if math.isnan(row["epsilon"]):
            axis.axhline(row[column], color=GREY, linestyle=style.DASHES[2], linewidth=1)
        else:
            axis.plot(row["epsilon"], row[column], **_open(marker))


def _open(marker: str) -> dict[str, Any]:
    return {"marker": marker, "linestyle": "", "ms": 6, "mfc": "white", "mec": GREY, "mew": 1.2, "zorder": 4}


def _logarithmic(axis: Axes) -> None:
    axis.set_xscale("log")
    left, right = axis.get_xlim()
    if right < 3 * left:  # a single budget stands in the middle
        axis.set_xlim(left / 3, 3 * right)
    style.plain_log_ticks(axis)


def _handles(data: pd.DataFrame, colours: Mapping[str, str], claims: pd.DataFrame) -> list[Line2D]:
    without = data[data["epsilon"].isna()]
    private = data[data["epsilon"].notna()]
    alone = without[~without["method"].isin(private["method"])]
    found = [
        Line2D([], [], color=colours[line], label=textwrap.fill(line, 38), **look)
        for rows, look in ((private, {"marker": "o", "markersize": 4}), (alone, {"linestyle": style.DASHES[1]}))
        for line in dict.fromkeys(rows["line"])
    ]
    if len(without) > len(alone):
        found.append(Line2D([], [], color=GREY, linestyle=style.DASHES[1], label="in its colour: without privacy"))
    if claims.empty:
        return found
    found.append(Line2D([], [], linestyle="", label="\nas printed, claimed not proven:"))
    for marker, (_, row) in zip(MARKERS, claims.drop_duplicates("method").iterrows(), strict=False):
        look = {"color": GREY, "linestyle": style.DASHES[2]} if math.isnan(row["epsilon"]) else _open(marker)
        found.append(Line2D([], [], label=row["method"], **look))
    return found
