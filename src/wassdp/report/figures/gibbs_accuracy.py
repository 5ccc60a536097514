"""Test accuracy of a Gibbs draw over the exponential mechanism's budget, for bounded losses."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from wassdp.report import seeds, style
from wassdp.report.frames import require, titled
from wassdp.report.gibbs import DATASET, LOSS, NOT_CONVERGED
from wassdp.report.kinds import Drawing, Figure
from wassdp.tangent.losses import TITLES

DRAW, EXACT = "parameters.draw", "finite"
COLOURS = {"savage": style.SKY, "tangent": style.PURPLE, "zero_one": style.RED, "logistic": style.BROWN,
           "squared": style.INDIGO}  # fmt: skip
MARKS = {"savage": ("s", 8), "tangent": ("^", 5.5), "zero_one": ("o", 4), "logistic": ("D", 5), "squared": ("v", 5)}
"""Shape and size in points: equal accuracies stand in one place, and are all seen."""
DRAWS = {EXACT: ("-", "exact draw, finite W"), "mala": (style.DASHES[1], "MALA, continuous W (no proof)")}


class GibbsAccuracy(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    Test accuracy that a draw from the Gibbs posterior has on average, over the **proven** budget of an exact draw:
    the exponential mechanism's pure ε = 2β range(r)/N under replace one (*Tangent Differential Privacy*, Ying 2025,
    with bounded losses). Solid: W is a fixed finite set of random linear classifiers, drawn from exactly. Dashed:
    continuous W, sampled by MALA; a chain only approaches its target, so **no budget is proven** for these draws,
    and open marks say where R-hat or the effective sample size of some seed shows that the chains have not
    converged; no line leads there. Marks are means over the seeds, bars reach from the least to the most. N, the
    number of records of the chosen classes, is public.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per dataset; mean over the seeds, bars from the smallest to the largest.

        An open mark: the chains of some seed have not converged, or nothing says that they have.

        Raises:
            ValueError: a column is missing.
        """
        require(runs, ["seed", DATASET, LOSS, DRAW, "accuracy", "epsilon_exact_draw", "records"])
        known = runs["converged"].astype(float) if "converged" in runs else pd.Series(math.nan, index=runs.index)
        # An exact draw has no chains.
        converged = known.mask(known.isna(), (runs[DRAW] == EXACT).astype(float))
        names = {DATASET: "dataset", LOSS: "loss", DRAW: "draw", "epsilon_exact_draw": "epsilon"}
        shown = runs.assign(converged=converged, accuracy=100 * runs["accuracy"]).rename(columns=names)
        about: dict[str, Any] = {"converged": ("converged", "min"), "records": ("records", "first")}
        keys, spread = list(names.values()), ("accuracy", "least", "most")
        data = seeds.summarised(shown, keys, "accuracy", spread, **about, seeds=("seed", "nunique"))
        data = data.sort_values(keys)
        panels = list(shown["dataset"].unique())
        figure, axes = style.wide_panels(len(panels))
        for axis, dataset in zip(axes, panels, strict=True):
            panel = data[data["dataset"] == dataset]
            for (loss, draw), rows in panel.groupby(["loss", "draw"], sort=False):
                _line(axis, rows, str(loss), DRAWS[str(draw)][0])
            axis.set_title(f"{titled(dataset)}, N = {panel['records'].iloc[0]:,.0f}")
            axis.set_xscale("log")
            axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.xaxis.set_minor_formatter(NullFormatter())
            axis.set(xlabel=r"$\varepsilon$ of an exact draw (pure, replace one)", ylabel="test accuracy (%)")
        style.legend_right(figure, _legend(data).items())
        return figure, data.reset_index(drop=True)


def _line(axis: Axes, rows: pd.DataFrame, loss: str, dash: Any) -> None:
    colour, (mark, size) = COLOURS[loss], MARKS[loss]
    # A mean of equal values may lie past them by rounding.
    bars = [(rows["accuracy"] - rows["least"]).clip(lower=0), (rows["most"] - rows["accuracy"]).clip(lower=0)]
    axis.errorbar(rows["epsilon"], rows["accuracy"], yerr=bars, color=colour, linestyle="", capsize=2.5)
    converged = rows["converged"] == 1
    # No line leads to or from a mark of chains that say nothing.
    axis.plot(rows["epsilon"], rows["accuracy"].where(converged), color=colour, linestyle=dash, linewidth=1.4)
    for some, face in ((rows[converged], colour), (rows[~converged], "white")):
        axis.plot(some["epsilon"], some["accuracy"], mark, ms=size, mfc=face, mec=colour, zorder=3)


def _legend(data: pd.DataFrame) -> dict[str, style.Look]:
    looks: dict[str, style.Look] = {
        f"{TITLES[name]} loss": {"color": colour, "marker": MARKS[name][0], "markersize": MARKS[name][1]}
        for name, colour in COLOURS.items()
        if name in set(data["loss"])
    }
    draws = [DRAWS[name] for name in DRAWS if name in set(data["draw"])]
    looks |= {label: {"color": style.LOWER, "linestyle": dash} for dash, label in draws}
    if (data["converged"] < 1).any():
        open_mark = {"marker": "o", "linestyle": "", "mfc": "white", "mec": style.LOWER}
        looks[f"open: chains {NOT_CONVERGED}"] = open_mark
    return looks
