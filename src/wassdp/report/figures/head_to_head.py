"""Methods of one task at equal proven budgets: score over the budget, mean ranks, and cost."""

from __future__ import annotations

import math
import textwrap
from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawn
from pydantic import Field

from wassdp.accounting.rounding import exact
from wassdp.report import called, ranks, style
from wassdp.report.frames import ADJACENCIES, in_words, power, titled
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.tables.head_to_head import difference
from wassdp.selection import optimistic

WIDTHS = (1.25, 1, 1)  # of scores, ranks and costs
SEPARATOR = "#DDDDDD"
ROW = 2.7
"""Inches, of the height of a problem."""
LETTERS = 30
"""Of a line beside a panel's vertical axis."""
MARKED = "test accuracies had a part in its settings,\nor may have had"


class HeadToHeadFigure(Figure):
    """The figure; its fields are its options."""

    compares: ClassVar[bool] = True
    caption: ClassVar[str] = """
    Methods at equal proven budgets (``{{ accountant }}``), by row the problems of one task. Left: score on test
    records, mean and range of the seeds, the methods of one budget side by side; dashed, without a mark on the axis
    of budgets: a method that is not private or of which nothing is proven, and which is not ranked. Middle: mean
    rank over the budgets at which all methods are ranked, the best is 1, and the range of 95 % of draws of the
    seeds with replacement; the bar is Nemenyi's critical difference (5 %); no such panel where each problem has one
    method. Right: seconds of one run, and the memory of its process. Settings were chosen by the same number of
    trials on validation records for every method of a problem at a budget; † marks settings chosen while test
    accuracies were read or known, or nobody wrote down how.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant that proves the budgets")

    def budgets_shown(self) -> tuple[str, ...]:
        return (self.accountant,)

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """A row of panels for each problem: scores, ranks where any has two methods, costs.

        Raises:
            ValueError: as `wassdp.report.ranks.cells`.
        """
        table = ranks.ranked(ranks.cells(runs, self.accountant))
        problems = list(dict.fromkeys(table["problem"]))
        colours = style.cycled(table["method"])
        figure = Drawn(figsize=(style.WIDEST, ROW * len(problems) + 0.5), layout="constrained")
        ranked = bool((table.groupby("problem")["method"].nunique() > 1).any())
        widths = WIDTHS if ranked else (WIDTHS[0], WIDTHS[-1])
        grid = figure.subplots(len(problems), len(widths), squeeze=False, width_ratios=widths)
        for (scores, *between, costs), problem in zip(grid, problems, strict=True):
            rows = table[table["problem"] == problem]
            _scores(scores, rows, colours)
            scores.set(title=titled(problem))
            about = textwrap.fill(f"{in_words(str(runs['compared.objective'].iloc[0]))} (%)", LETTERS)
            scores.set_ylabel(about, fontsize="medium" if "\n" not in about else "small")
            for places in between:
                _places(places, rows, colours, difference(table, problem))
            _costs(costs, rows, colours, named_here=not ranked)
        under = ADJACENCIES.get(ranks.relation(table), "")
        delta = table["delta"].max()
        at = "" if math.isnan(delta) else rf", $\delta$ = {power(float(delta))}"
        words = rf"$\varepsilon$, {called.accountant(self.accountant)}" + f"\n{under}{at}"
        grid[-1, 0].set_xlabel(words, fontsize="small")
        read = table["selection"].map(optimistic).any()
        if ranked:
            grid[-1, 1].set_xlabel("mean rank")
        grid[-1, -1].set_xlabel("seconds of a run (MiB)")
        if read:  # under the panel that names the methods
            under_names = grid[-1, 1]
            under_names.set_xlabel(f"{under_names.get_xlabel()}\n† {MARKED}", fontsize="small")
        return figure, table.assign(scores=[" ".join(f"{score:.6g}" for score in each) for each in table["scores"]])


def named(rows: pd.DataFrame) -> str:
    """What a method is called, marked where its settings are optimistic."""
    return f"{rows['method'].iloc[0]}{' †' * bool(rows['selection'].map(optimistic).any())}"


def _scores(axis: Axes, rows: pd.DataFrame, colours: dict[str, str]) -> None:
    private = rows[rows["unranked"] == ""]
    budgets = sorted(rows["budget"].dropna().unique())
    methods = private["method"].nunique()
    for place, (method, own) in enumerate(private.groupby("method", sort=False)):
        # A budget is a place with room for all methods side by side, so that ranges do not hide each other.
        aside = (place - (methods - 1) / 2) * 0.5 / max(methods, 1)
        mean, least, most = (100 * own[name].to_numpy(dtype=float) for name in ("mean", "least", "most"))
        axis.errorbar(
            [budgets.index(budget) + aside for budget in own["budget"]],
            mean,
            yerr=np.maximum(0, [mean - least, most - mean]),
            color=colours[str(method)],
            marker="o",
            markersize=3.5,
            capsize=2,
            linewidth=1.3,
        )
    for method, own in rows[rows["unranked"] != ""].groupby("method", sort=False):
        axis.axhline(100 * float(own["mean"].mean()), color=colours[str(method)], linestyle=style.DASHED, linewidth=1)
    axis.set_xticks(range(len(budgets)), [exact(budget) for budget in budgets])
    axis.set_xlim(-0.5, len(budgets) - 0.5)
    axis.grid(axis="x", visible=False)
    for border in range(1, len(budgets)):
        axis.axvline(border - 0.5, color=SEPARATOR, linewidth=0.6, zorder=0)


def _places(axis: Axes, rows: pd.DataFrame, colours: dict[str, str], critical: float) -> None:
    found = rows.dropna(subset="mean_rank").drop_duplicates("method").sort_values("mean_rank", kind="stable")
    names = [*found["method"], *dict.fromkeys(rows["method"][~rows["method"].isin(found["method"])])]
    for height, (_, row) in enumerate(found.iterrows()):
        rank, colour = float(row["mean_rank"]), colours[str(row["method"])]
        reach = [[max(0.0, rank - row["mean_least"])], [max(0.0, row["mean_most"] - rank)]]
        error = None if math.isnan(row["mean_least"]) else reach
        axis.errorbar(rank, height, xerr=error, color=colour, marker="o", markersize=4.5, capsize=2.5)
    for height, name in enumerate(names):
        if height >= len(found):
            text = next(iter(rows["unranked"][rows["method"] == name])) or "not ranked at every budget"
            axis.text(0.97, height, text, transform=axis.get_yaxis_transform(), ha="right", va="center", fontsize=7.5)
    labels = [named(rows[rows["method"] == name]) for name in names]
    axis.set_yticks(range(len(names)), labels, fontsize=7.5)
    axis.set_ylim(len(names) - 0.4, -1.1)
    axis.set_xlim(0.7, max(2, len(found)) + 0.3)
    if not math.isnan(critical):
        axis.plot([1, min(1 + critical, axis.get_xlim()[1])], [-0.7, -0.7], color=style.GREY, linewidth=2)
        axis.text(1, -0.78, f"critical difference {critical:.2f}", fontsize=7.5, va="bottom", color=style.GREY)


def _costs(axis: Axes, rows: pd.DataFrame, colours: dict[str, str], *, named_here: bool) -> None:
    ordered = rows.sort_values("mean_rank", na_position="last", kind="stable")
    # A method is timed on processors where it was there at any budget: seconds of two devices have no mean.
    timed = ordered[~ordered["gpu"] | ordered.groupby("method")["gpu"].transform("all")]
    costs = timed.groupby("method", sort=False)[["seconds", "memory", "gpu"]].agg(
        {"seconds": "mean", "memory": "mean", "gpu": "any"}
    )
    axis.barh(range(len(costs)), costs["seconds"], color=[colours[str(name)] for name in costs.index], height=0.6)
    axis.set_xscale("log")
    least, most = costs["seconds"].min(), costs["seconds"].max()
    axis.set_xlim(least / 3, most * 40)
    for height, (seconds, memory, gpu) in enumerate(costs.itertuples(index=False)):
        text = f"{seconds:.3g} s{' of a GPU' if gpu else ''}, {memory:.0f} MiB"
        axis.text(seconds * 1.15, height, text, va="center", fontsize=7.5)
    names = [named(rows[rows["method"] == name]) if named_here else "" for name in costs.index]
    axis.set_yticks(range(len(costs)), names, fontsize=7.5)
    axis.set_ylim(len(costs) - 0.4, -1.1)
