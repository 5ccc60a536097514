"""Test accuracy over epochs at each framework's noise, with the epoch that reaches a level: printed and reproduced."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from pydantic import Field

from wassdp.report import seeds, style
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.reached import WITHOUT, EpochsToLevel, curves_by_noise, first_epochs


class EpochsToAccuracy(EpochsToLevel, Figure):
    """The figure; its fields are its options."""

    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        On the line of the level: a dot where the last seed has reached it, a hollow diamond at the printed epoch.

        Raises:
            ValueError: a column or curve is missing, or the runs are of several datasets.
        """
        points = curves_by_noise(runs, history, self.frameworks)
        reached = first_epochs(points, self.level).set_index("framework")
        reached["printed"] = reached.index.map(self.printed())
        figure, (axis,) = style.wide_panels(1)
        figure.set_size_inches(6.4, 3.6)
        axis.axhline(self.level, color=style.LOWER, linewidth=0.8)
        shades = style.cycled(reached.index) | style.KINDS | {WITHOUT: style.LOWER}
        looks: dict[str, style.Look] = {}
        for name, row in reached.iterrows():
            colour = shades[str(name)]
            # A line over which another one runs is seen between its dashes.
            dash = style.DASHED if name == WITHOUT else style.DASHES[len(looks) % len(style.DASHES)]
            look: dict[str, Any] = {"color": colour, "linestyle": dash}
            seeds.band(axis, points[points["framework"] == name], "epoch", "accuracy", **look)
            if math.isfinite(row["last"]):
                axis.plot(row["last"], self.level, "o", color=colour, markersize=5.5, clip_on=False)
            if not math.isnan(row["printed"]):
                axis.plot(row["printed"], self.level, "D", color=colour, markersize=6, fillstyle="none", clip_on=False)
            looks[_label(str(name), row)] = look
        mark = {"color": style.GREY, "linestyle": ""}
        looks[f"{self.level:g} % reached"] = mark | {"marker": "o"}
        looks["printed in the paper"] = mark | {"marker": "D", "fillstyle": "none"}
        axis.set_ylabel("test accuracy (%)")
        axis.set_xlim(left=0)
        style.epochs(axis, bottom=self.least)
        style.legend_right(figure, looks.items())
        names = seeds.ranged("accuracy")
        table = seeds.summarised(points, ["framework", "epoch"], "accuracy", names, seeds=("accuracy", "count"))
        about = reached[["noise", "first", "last", "printed"]].add_prefix("reached_")
        about = about.rename(columns={"reached_noise": "noise", "reached_printed": "printed"})
        return figure, table.join(about, on="framework")


def _label(framework: str, row: pd.Series[Any]) -> str:
    noise = "" if framework == WITHOUT or framework.startswith("σ") else f", σ = {row['noise']:g}"
    when = f"{row['last']:g} epochs" if math.isfinite(row["last"]) else f"not in {row['epochs']:g} epochs"
    return f"{framework}{noise}: {when}" + ("" if math.isnan(row["printed"]) else f" (printed {row['printed']:g})")
