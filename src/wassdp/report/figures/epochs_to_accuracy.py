"""Test accuracy over epochs at each framework's noise, with the epoch that reaches a level: printed and reproduced."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from wassdp.report import seeds as _seeds
from wassdp.report import style
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.reached import WITHOUT, EpochsToLevel, curves_by_noise, first_epochs


class EpochsToAccuracy(EpochsToLevel, Figure):
    """The figure; its fields are its options."""

    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        On the line of the level: a dot where the last seed has reached it, a hollow diamond at the printed epoch.

        Raises:
            ValueError: a column or curve is missing, or the runs are of several datasets.
        """
        printed = self.printed()
        points = curves_by_noise(runs, history, self.frameworks)
        reached = first_epochs(points, self.level).set_index("framework")
        data = _data(points, reached, printed)
        with style.context():
            figure, (axis,) = style.wide_panels(1)
            figure.set_size_inches(6.4, 3.6)
            axis.axhline(self.level, color=style.LOWER, linewidth=0.8)
            handles = []
            for place, framework in enumerate(reached.index):
                colour = style.LOWER if framework == WITHOUT else style.CYCLE[place % len(style.CYCLE)]
                dash: Any = (0, (4, 2)) if framework == WITHOUT else "-"
                rows = points[points["framework"] == framework]
                _seeds.band(axis, rows, "epoch", "accuracy", color=colour, linestyle=dash)
                last, claim = float(reached.loc[framework, "last"]), printed.get(str(framework))
                if math.isfinite(last):
                    axis.plot(last, self.level, "o", color=colour, markersize=5.5, clip_on=False)
                if claim is not None:
                    axis.plot(claim, self.level, "D", color=colour, markersize=6, fillstyle="none", clip_on=False)
                handles.append(
                    Line2D(
                        [],
                        [],
                        color=colour,
                        linestyle=dash,
                        label=_label(reached.loc[framework], str(framework), claim),
                    )
                )
            handles.append(Line2D([], [], color="#444444", marker="o", linestyle="", label=f"{self.level:g} % reached"))
            handles.append(
                Line2D(
                    [], [], color="#444444", marker="D", fillstyle="none", linestyle="", label="printed in the paper"
                )
            )
            axis.set_xlabel("epoch")
            axis.set_ylabel("test accuracy (%)")
            axis.set_xlim(left=0)
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            if self.least is not None:
                axis.set_ylim(bottom=self.least)
            style.legend_right(figure, handles)
        return figure, data


def _data(points: pd.DataFrame, reached: pd.DataFrame, printed: Mapping[str, float]) -> pd.DataFrame:
    groups = points.groupby(["framework", "epoch"], sort=False)["accuracy"]
    table = groups.agg(accuracy="mean", accuracy_least="min", accuracy_most="max", seeds="count").reset_index()
    table["noise"] = table["framework"].map(reached["noise"])
    table["reached_first"] = table["framework"].map(reached["first"])
    table["reached_last"] = table["framework"].map(reached["last"])
    table["printed"] = table["framework"].map(printed)
    return table


def _label(row: pd.Series[Any], framework: str, claim: float | None) -> str:
    noise = "" if framework == WITHOUT or framework.startswith("σ") else f", σ = {row['noise']:g}"
    found = f"{row['last']:g} epochs" if math.isfinite(row["last"]) else f"not in {row['epochs']:g} epochs"
    return f"{framework}{noise}: {found}" + ("" if claim is None else f" (printed {claim:g})")
