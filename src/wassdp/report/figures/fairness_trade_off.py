"""Accuracy against fairness: a line per budget along the weights of the penalty."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from numpy.typing import NDArray
from pydantic import Field

from wassdp.report import beside, fair, ratios, seeds, style
from wassdp.report.fair import arranged, budget, shades, summary
from wassdp.report.frames import require
from wassdp.report.kinds import Drawing, Figure

NAMES = {
    "disparate_impact": "disparate impact DI, or 1/DI (1: fair)",
    "equality_0": r"EO$_0$, or 1/EO$_0$ (1: fair)",
    "equality_1": r"EO$_1$, or 1/EO$_1$ (1: fair)",
    "calibration_error_0": "calibration error, A = 0",
    "calibration_error_1": "calibration error, A = 1",
}

POINTS_PER_INCH = 72
APART = 14  # points between labels
NEAR = beside.Place(4, 3, "left", "bottom")


class FairnessTradeOff(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Accuracy against fairness on the test set, a line for each budget along the weights of the penalty, which stand
    beside the marks: means over the seeds, bars from the smallest to the largest. Weight 0 is DP-SGD without a
    penalty, by batches of fixed size of each group rather than Poisson samples, so that all lines share one
    neighbouring relation; "no noise" is a fair model without privacy. **Proven** budgets hold when one record is
    replaced inside its group, with group sizes public, batches without replacement and δ = 0.1/n. Decisions are
    scores above one half. A ratio of the groups' rates counts in each seed as itself or its inverse, whichever is
    smaller, so that seeds on both sides of 1 do not even each other out. Test measures read data without noise.
    """

    measures: tuple[
        Literal["disparate_impact", "equality_0", "equality_1", "calibration_error_0", "calibration_error_1"], ...
    ] = Field(default=("disparate_impact",), min_length=1, description="a panel for each")

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Means over the seeds; bars from the smallest to the largest; no mark where a seed lacks the measure.

        Raises:
            ValueError: a column is missing, or runs cannot be told apart.
        """
        require(runs, ["accuracy", *self.measures])
        known = arranged(ratios.of_runs(runs))
        table = summary(known, ["accuracy", *self.measures])
        percent = table.assign(**{name: 100 * table[name] for name in seeds.ranged("accuracy")})
        marks = zip(shades(table["target"]).items(), itertools.cycle("osD^vPX*"), strict=False)
        looks: dict[float, dict[str, Any]] = {
            target: {"color": shade, "marker": mark} for (target, shade), mark in marks
        }
        columns = min(2, len(self.measures))
        figure, axes = style.panels(-(-len(self.measures) // columns), columns, share_x=False, share_y=True)
        figure.set_size_inches((4.35, style.WIDEST)[columns - 1], 1.2 * style.PANEL[1] * len(axes) / columns)
        for axis in axes[len(self.measures) :]:
            axis.set_visible(False)
        notes: list[tuple[Annotation, beside.Place]] = []
        for axis, measure in zip(axes, self.measures, strict=False):
            for target, look in looks.items():
                rows = percent[percent["target"] == target].sort_values("alpha")
                bars: style.Look = {"xerr": seeds.lengths(rows, measure), "yerr": seeds.lengths(rows, "accuracy")}
                width: style.Look = {"linewidth": 1.1, "elinewidth": 0.6, "markersize": 4}
                axis.errorbar(rows[measure], rows["accuracy"], **bars, **width, **look)
            notes += _weights(axis, percent["alpha"], percent[measure], percent["accuracy"])
            lacking = int(percent[measure].isna().sum())
            axis.set_xlabel(NAMES[measure] + (f"\n{lacking} without a mark: a seed lacks it" if lacking else ""))
            if measure.startswith(("disparate", "equality")):
                axis.axvline(1, color=style.LOWER, linewidth=0.8, linestyle=":")
        for axis in axes[::columns]:
            axis.set_ylabel("test accuracy (%)")
        style.over(figure, f"{fair.named(runs)}; beside the marks: " + r"weight $\alpha$ of the penalty")
        style.legend_below(figure, [(budget(known[known["target"] == target]), look) for target, look in looks.items()])
        beside.settle(figure, notes)
        return figure, table


def _weights(axis: Axes, alphas: pd.Series, across: pd.Series, up: pd.Series) -> list[tuple[Annotation, beside.Place]]:
    """The weight beside each mark, but for marks so near that one label would hide another."""
    axis.autoscale_view()
    notes = []
    placed: list[NDArray[np.float64]] = []
    for alpha, point in zip(alphas, np.column_stack([across, up]), strict=True):
        if not np.isfinite(point).all():
            continue
        here = axis.transData.transform(point) * POINTS_PER_INCH / axis.figure.dpi
        if all(math.dist(here, other) > APART for other in placed):
            placed.append(here)
            edge = [withStroke(linewidth=2, foreground="white")]
            look: style.Look = {"textcoords": "offset points", "fontsize": 7.5, "zorder": 5, "path_effects": edge}
            notes.append((axis.annotate(f"{alpha:g}", point, NEAR[:2], **look), NEAR))
    return notes
