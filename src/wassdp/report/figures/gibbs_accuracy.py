"""Test accuracy of a Gibbs draw over the exponential mechanism's budget, for bounded losses."""

from __future__ import annotations

from typing import Any, ClassVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.gibbs import DATASET, LOSS, NOT_CONVERGED
from wassdp.report.kinds import Drawing, Figure
from wassdp.tangent.losses import TITLES

DRAW = "parameters.draw"
COLOURS = {"savage": style.BLUE, "tangent": style.PURPLE, "zero_one": style.GREEN, "logistic": style.ORANGE,
           "squared": style.RED}  # fmt: skip
DRAWS = {"finite": ("-", "exact draw, finite W"), "mala": (style.DASHES[1], "MALA, continuous W (no proof)")}


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

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per dataset; mean over the seeds, bars from the smallest to the largest.

        An open mark: the chains of some seed have not converged.

        Raises:
            ValueError: a column is missing.
        """
        require(runs, ["seed", DATASET, LOSS, DRAW, "accuracy", "epsilon_exact_draw", "records"])
        converged = runs["converged"].fillna(1.0) if "converged" in runs else pd.Series(1.0, index=runs.index)
        data = (
            runs.assign(converged=converged, accuracy=100 * runs["accuracy"])
            .groupby([DATASET, LOSS, DRAW, "epsilon_exact_draw"], sort=False)
            .agg(
                accuracy=("accuracy", "mean"),
                least=("accuracy", "min"),
                most=("accuracy", "max"),
                converged=("converged", "min"),
                records=("records", "first"),
                seeds=("seed", "nunique"),
            )
            .reset_index()
            .rename(columns={DATASET: "dataset", LOSS: "loss", DRAW: "draw", "epsilon_exact_draw": "epsilon"})
            .sort_values(["dataset", "loss", "draw", "epsilon"])
        )
        datasets = list(dict.fromkeys(runs[DATASET]))
        with style.context():
            figure, axes = style.wide_panels(len(datasets))
            for axis, dataset in zip(axes, datasets, strict=True):
                here = data[data["dataset"] == dataset]
                for (loss, kind), rows in here.groupby(["loss", "draw"], sort=False):
                    _line(axis, rows, COLOURS[str(loss)], DRAWS[str(kind)][0])
                axis.set_title(f"{dataset}, N = {here['records'].iloc[0]:g}")
                axis.set_xscale("log")
                axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                axis.xaxis.set_minor_formatter(NullFormatter())
                axis.set_xlabel(r"$\varepsilon$ of an exact draw (pure, replace one)")
                axis.set_ylabel("test accuracy (%)")
            style.legend_right(figure, _handles(data))
        return figure, data.reset_index(drop=True)


def _line(axis: Axes, rows: pd.DataFrame, colour: str, dash: Any) -> None:
    bars = [rows["accuracy"] - rows["least"], rows["most"] - rows["accuracy"]]
    axis.errorbar(rows["epsilon"], rows["accuracy"], yerr=bars, color=colour, linestyle="", capsize=2.5)
    # No line leads to or from a mark of chains that say nothing.
    known = rows["accuracy"].where(rows["converged"] == 1)
    axis.plot(rows["epsilon"], known, color=colour, linestyle=dash, linewidth=1.4)
    for good, face in ((True, colour), (False, "white")):
        some = rows[(rows["converged"] == 1) == good]
        axis.plot(some["epsilon"], some["accuracy"], "o", ms=5, mfc=face, mec=colour, zorder=3)


def _handles(data: pd.DataFrame) -> list[Line2D]:
    present = dict.fromkeys(data["loss"])
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=5, label=f"{TITLES[name]} loss")
        for name, colour in COLOURS.items()
        if name in present
    ]
    handles += [
        Line2D([], [], color=style.LOWER, linestyle=dash, label=label)
        for name, (dash, label) in DRAWS.items()
        if name in set(data["draw"])
    ]
    if (data["converged"] < 1).any():
        open_mark: dict[str, Any] = {"marker": "o", "linestyle": "", "mfc": "white", "mec": style.LOWER}
        handles.append(Line2D([], [], label=f"open: chains {NOT_CONVERGED}", **open_mark))
    return handles
