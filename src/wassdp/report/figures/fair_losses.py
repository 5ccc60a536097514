"""The loss of a fair model along its training: a panel per weight, a line per budget (WG Figures 4, 6, 8, 10, 12)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.report import seeds, style
from wassdp.report.fair import arranged, budget
from wassdp.report.frames import curves


class Options(style.Options):
    """Options of this figure."""

    alphas: tuple[float, ...] = Field(default=(), description="weights of the penalty to show; empty: all")
    metric: str = Field(default="objective", description="curve along steps: objective, loss or distance")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, with a band from the smallest to the largest.

    Raises:
        ValueError: a column or curve is missing, or runs cannot be told apart.
    """
    chosen = Options.model_validate(options)
    found = arranged(runs)
    found = found[found["alpha"].isin(chosen.alphas)] if chosen.alphas else found
    points = curves(found[["run", "alpha", "target"]], history, chosen.metric, "step")
    points = points.rename(columns={"position": "step"})
    spread = points.groupby(["alpha", "target", "step"])["value"].agg(["mean", "min", "max", "count"]).reset_index()
    spread = spread.rename(columns={"min": "least", "max": "most", "count": "seeds"})
    alphas, targets = sorted(spread["alpha"].unique()), sorted(spread["target"].unique(), reverse=True)
    names = {target: budget(found[found["target"] == target]) for target in targets}
    finite = [target for target in targets if math.isfinite(target)]
    shades = style.ordered_colours([str(target) for target in finite])
    colours = {target: shades.get(str(target), style.LOWER) for target in targets}
    with style.context():
        figure, axes = style.panels(1, len(alphas))
        for axis, alpha in zip(axes, alphas, strict=True):
            for target in targets:
                rows = points[(points["alpha"] == alpha) & (points["target"] == target)]
                seeds.band(axis, rows, "step", "value", linewidth=1.1, color=colours[target])
            axis.set_ylabel("")
            axis.set_title(rf"$\alpha$ = {alpha:g}")
            axis.set_xlabel("step")
        axes[0].set_ylabel({"objective": "objective of the batch"}.get(chosen.metric, f"{chosen.metric} of the batch"))
        style.legend_below(figure, [Line2D([], [], label=names[target], color=colours[target]) for target in targets])
        # A name has a line for each of its budgets.
        figure.set_figheight(figure.get_figheight() + 0.13 * sum(name.count("\n") for name in names.values()))
    return figure, spread
