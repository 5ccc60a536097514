"""Accuracy of classifiers trained on generated images over the budget: proven here, claimed in print (SWD, Table 2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.report import called, seeds, short_labels, style
from wassdp.report.frames import power, titled
from wassdp.report.generation import OfClassifier, lines, printed
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import shared

SIZE = 6  # points, of an open mark
AROUND = 4  # points by which an open mark is larger than one that is drawn over it
NEAR = 1.5  # percent, between accuracies whose marks hide each other


class GenerationAccuracy(OfClassifier, Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Share of real test images that a classifier trained on generated images gets right ({{ "MLP" if classifier ==
    "accuracy_mlp" else "logistic regression" }}), over the proven budget of the generator's training (``{{
    accountant }}``). Mean over the seeds, bars from the least to the most. Lines stand under their neighbouring
    relation, since budgets under different relations are not the same promise, and are called by what tells them
    apart; the data beside the figure have each setting in full. Dashed: without privacy. {% if published %}Open
    marks, the larger around those drawn over them: Table 2 of *Differentially Private Sliced Wasserstein Distance* at
    the budget that it claims. {% endif %}Accuracies are evaluation, no part of the release.
    """

    published: bool = Field(default=True, description="mark the printed accuracies at the printed budget")

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per dataset, one line per method and relation; mean over the seeds, bars from least to most.

        A run without a finite budget has no place on the axis: without privacy it is a dashed line, in the colour of
        the same method with privacy, and where nothing is proven it is in the data only.

        Raises:
            ValueError: a column is missing, or there is no run to show.
        """
        known = self.named(runs)
        suffix = ""
        if known["delta"].notna().any():
            suffix = rf", $\delta$ = {power(shared(known, 'delta', self.accountant))}"
        named = lines(known)
        data = self.summary(
            known.assign(line=named, method=known["method"].str.removeprefix("DP-")), ["line", "method"]
        )
        claims = printed()
        claims = claims[claims["dataset"].isin(data["dataset"])] if self.published else claims.iloc[:0]
        colours = _colours(data, self.colours(known))
        figure, axes = style.wide_panels(data["dataset"].nunique())
        for axis, (dataset, panel) in zip(axes, data.groupby("dataset", sort=False), strict=True):
            for line, rows in panel.groupby("line", sort=False):
                _line(axis, rows, colours[str(line)])
            _claims(axis, claims[claims["dataset"] == dataset], self.classifier.removeprefix("accuracy_"))
            axis.set(
                title=titled(dataset),
                xlabel=rf"$\varepsilon$, {called.accountant(self.accountant)}{suffix}",
                ylabel=self.axis(),
            )
            axis.set_xscale("log")
            left, right = axis.get_xlim()
            if right < 3 * left:  # a single budget stands in the middle
                axis.set_xlim(left / 3, 3 * right)
            style.plain_log_ticks(axis)
        called_here = short_labels.short(known["method"])
        entries = known[["relation"]].assign(line=named, called=known["method"].map(called_here))
        style.legend_right(figure, _legend(data, entries, colours, claims))
        return figure, _with_claims(data, claims, self)


def _colours(data: pd.DataFrame, colours: dict[str, str]) -> dict[str, str]:
    """A colour for each line; a method without privacy has that of its first line with it."""
    private = data[data["epsilon"].notna()]
    partners = dict(zip(private["method"][::-1], private["line"][::-1], strict=True))
    for line, method in zip(data["line"], data["method"], strict=True):
        if line not in colours:
            unused = style.CYCLE[len(colours) % len(style.CYCLE)]
            colours[line] = colours[partners[method]] if method in partners else unused
    return colours


def _line(axis: Axes, rows: pd.DataFrame, colour: str) -> None:
    finite = rows[np.isfinite(rows["epsilon"])]
    if not finite.empty:
        bars: style.Look = {"yerr": seeds.lengths(finite, "accuracy"), "capsize": 3}
        axis.errorbar(finite["epsilon"], finite["accuracy"], color=colour, marker="o", markersize=4, **bars)
    for level in rows.loc[rows["epsilon"].isna(), "accuracy"]:
        axis.axhline(level, color=colour, linestyle=style.DASHES[1], linewidth=1.1)


def _claims(axis: Axes, claims: pd.DataFrame, column: str) -> None:
    marks = list(zip(claims["epsilon"], claims[column], strict=True))
    for place, (epsilon, accuracy) in enumerate(marks):
        if math.isnan(epsilon):
            axis.axhline(accuracy, color=style.GREY, linestyle=style.DASHES[2], linewidth=1.3, zorder=3)
            continue
        over = sum(other == epsilon and abs(value - accuracy) < NEAR for other, value in marks[place + 1 :])
        axis.plot(epsilon, accuracy, **style.open_mark(place, SIZE + AROUND * over))


def _with_claims(data: pd.DataFrame, claims: pd.DataFrame, options: GenerationAccuracy) -> pd.DataFrame:
    """Both in one table; ``kind`` says whether a budget is proven, or printed and proven by nobody."""
    ours = data.assign(kind=options.accountant.split("/")[0]).astype({"kind": object})
    ours.loc[ours["epsilon"].isna(), "kind"] = None
    if claims.empty:
        return ours
    column = options.classifier.removeprefix("accuracy_")
    theirs = claims[["dataset", "method", "epsilon"]].assign(
        line="as printed: " + claims["method"], accuracy=claims[column], kind="published"
    )
    return pd.concat([ours, theirs], ignore_index=True).astype({"seeds": "Int64"})


def _legend(
    data: pd.DataFrame, entries: pd.DataFrame, colours: Mapping[str, str], claims: pd.DataFrame
) -> Iterator[tuple[str, style.Look]]:
    """Entries of ours by relation, then of what is printed; a method of either may be called alike."""
    without = data[data["epsilon"].isna()]
    private = data[data["epsilon"].notna()]
    alone = without[~without["method"].isin(private["method"])]
    looks: dict[str, style.Look] = {
        line: {"color": colours[line], "marker": "o", "markersize": 4} for line in private["line"]
    }
    looks |= {line: {"color": colours[line], "linestyle": style.DASHES[1]} for line in alone["line"]}
    in_order = entries.drop_duplicates("line").set_index("line").loc[list(looks)].reset_index()
    yield from short_labels.grouped(in_order, looks)
    if len(without) > len(alone):
        yield "in its colour: without privacy", {"color": style.GREY, "linestyle": style.DASHES[1]}
    if not claims.empty:
        yield "as printed, claimed not proven:", short_labels.HEADING
    level = {"color": style.GREY, "linestyle": style.DASHES[2]}
    for place, (_, row) in enumerate(claims.drop_duplicates("method").iterrows()):
        yield row["method"], level if math.isnan(row["epsilon"]) else style.open_mark(place, SIZE)
