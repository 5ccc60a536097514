"""What a fair model makes of two groups: scores, or outputs in the plane (WG Figures 1, 2, 3, 5, 7, 9 and 11)."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping
from string import ascii_lowercase
from typing import Any, ClassVar, Literal

import pandas as pd
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.report import fair, ratios, style
from wassdp.report.fair import NO_NOISE, arranged, budget, means, of_weights
from wassdp.report.kinds import Drawing, Figure

SIZE, LETTERS = 7.5, 16.5
"""Points, and letters of that size in an inch."""
COLOURS = {"0": style.SKY, "1": style.RED}
NO_MARK: style.Look = {"linestyle": ""}
DASHES: dict[str, Any] = {"": "-", "0": "-", "1": (0, (3, 1.5))}
TRAINING = (("noise", "noise_std"), ("L", "loss"), ("W", "distance"))
TEST = (
    ("ACC", "accuracy"),
    ("DI", "disparate_impact"),
    ("EO0", "equality_0"),
    ("EO1", "equality_1"),
    ("OD0", "above_diagonal_0"),
    ("OD1", "above_diagonal_1"),
    ("RLc", "core_loss"),
)


class FairOutputs(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    What models trained with a fairness penalty make of the groups of the training set, after *Learning with
    Differentially Private (Sliced) Wasserstein Gradients* (Rodríguez-Vítores, Lalanne and Loubes), Figures 1, 2, 3,
    5, 7, 9 and 11: weights of the penalty across, budgets down. Points and histograms are of the first seed; the
    numbers are means over the seeds: deviation of the noise on each coordinate of a gradient, loss (L) and squared
    Wasserstein distance (W) of the training set, of which (1 - α) L + α W is the objective, then measures of the test
    set; DI and EO as themselves or their inverses, whichever is smaller, in each seed. **Published** budgets
    are the limit that the paper may have used, which is no bound; **proven** ones hold when one record is replaced
    inside its group, with group sizes public, batches without replacement and δ = 0.1/n. "No noise" has the same
    clipping and no guarantee. Optimiser, initialisation, size of the test set and the grid of budgets and weights
    are this project's choice where the paper leaves them open. The pictures read data without noise: they are
    evaluation, and no part of what the budgets cover.
    """

    alphas: tuple[float, ...] = Field(default=(), description="weights of the penalty to show; empty: all")
    measures: tuple[Literal["ACC", "DI", "EO0", "EO1", "OD0", "OD1", "RLc"], ...] = Field(
        default=("ACC", "DI"), description="measured on test data, above each panel"
    )

    def parameters_shown(self) -> Mapping[str, str]:
        return {"alphas": "alpha"}

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """A panel per weight (across) and budget (down): the first seed's training set; numbers are means over seeds.

        The data have the points or histograms of each panel and, as rows of axis ``measure``, the numbers above it.

        Raises:
            ValueError: a column or curve is missing, a weight is not there, or runs cannot be told apart.
        """
        known = of_weights(arranged(ratios.of_runs(runs)), self.alphas)
        alphas, targets = sorted(known["alpha"].unique()), list(known["target"].unique())
        measures = [(short, name) for short, name in TEST if short in self.measures]
        names = _rows(known)
        parts = []
        figure, axes = style.panels(len(targets), len(alphas))
        width = min(style.WIDEST, 2.5 * len(alphas) + 0.6)
        letters = int((width - 0.4) / len(alphas) * LETTERS)
        figure.set_size_inches(width, 2.25 * len(targets) + 0.4)
        for place, (axis, (target, alpha)) in enumerate(zip(axes, itertools.product(targets, alphas), strict=True)):
            rows = known[(known["target"] == target) & (known["alpha"] == alpha)]
            if rows.empty:
                axis.set_visible(False)
                continue
            shown = _curves(history, str(rows["run"].iloc[0]))
            _panel(axis, shown)
            title = [rf"$\alpha$ = {alpha:g}"] if place < len(alphas) else []
            about = [means(rows, TRAINING, digits=2), means(rows, measures)]
            lines = [textwrap.fill(text, letters) for text in about]
            axis.set_title("\n".join([*title, *lines]), fontsize=SIZE)
            scores = (shown["axis"] == "score").all()
            if place % len(alphas) == 0:
                what = "density" if scores else "second output"
                axis.set_ylabel(f"{names[target].split(': ')[0]}\n{what}", fontsize=SIZE)
            if place >= len(axes) - len(alphas):
                axis.set_xlabel("score" if scores else "first output", fontsize=SIZE)
            numbers = rows[[name for _, name in (*TRAINING, *TEST) if name in rows]].mean(skipna=False)
            above = pd.DataFrame({"axis": "measure", "coordinate": numbers.index, "value": numbers.to_numpy()})
            both = pd.concat([shown, above], ignore_index=True)
            parts.append(both.assign(alpha=alpha, target=target, seeds=rows["seed"].nunique()))
        if text := fair.named(runs):
            style.over(figure, text)
        entries = [_entry(group) for group in sorted(parts[0]["group"].dropna().unique())]
        # What a row is proven and said to keep stands below: beside the panels, rows would run into each other.
        budgets = [(textwrap.fill(name, int(width * LETTERS)), NO_MARK) for name in names.values() if ": " in name]
        style.legend_below(figure, entries + budgets)
        return figure, pd.concat(parts, ignore_index=True)


def _rows(known: pd.DataFrame) -> dict[float, str]:
    """What each row of panels is called: without noise so, else a letter and, after a colon, its budgets."""
    texts = {float(str(target)): budget(rows) for target, rows in known.groupby("target", sort=False)}
    noisy = [target for target, text in texts.items() if text != NO_NOISE]
    letters = {target: f"noise ({letter})" for target, letter in zip(noisy, ascii_lowercase, strict=False)}
    return {
        target: f"{letters[target]}: {'; '.join(text.splitlines())}" if target in letters else text
        for target, text in texts.items()
    }


def _curves(history: pd.DataFrame, run: str) -> pd.DataFrame:
    points = history[(history["run"] == run) & history["axis"].isin(["score", "point"])]
    if points.empty:
        raise ValueError(f"history: has no scores and no outputs of run {run}")
    names = points["metric"].str.split("/", expand=True)
    table = points.assign(group=names[1], coordinate=names.get(2))
    return table[["run", "axis", "group", "coordinate", "position", "value"]].reset_index(drop=True)


def _panel(axis: Axes, shown: pd.DataFrame) -> None:
    for group, rows in shown.groupby("group"):
        attribute, _, label = str(group).partition(",")
        colour = COLOURS[attribute]
        if rows["axis"].iloc[0] == "score":
            curve = rows["position"], rows["value"]
            axis.step(*curve, where="mid", color=colour, linestyle=DASHES[label], linewidth=1.1)
            if not label:
                axis.fill_between(*curve, step="mid", color=colour, alpha=0.25, linewidth=0)
        else:
            points = rows.pivot_table(index="position", columns="coordinate", values="value")
            axis.scatter(points["0"], points["1"], s=3, color=colour, alpha=0.5, linewidths=0, rasterized=True)
    if (shown["axis"] == "score").all():
        axis.set_ylim(bottom=0)
    axis.tick_params(labelsize=SIZE)


def _entry(group: str) -> tuple[str, style.Look]:
    attribute, _, label = group.partition(",")
    name = f"A = {attribute}" + (f", Y = {label}" if label else "")
    return name, {"color": COLOURS[attribute], "linestyle": DASHES[label]}
