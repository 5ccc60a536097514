"""SWD and DP-SWD between two Gaussians that move apart (SWD, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pandas as pd
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.report import seeds, style
from wassdp.report.frames import curves, require
from wassdp.report.kinds import Drawing, Figure

SIGMA, POINTS = "parameters.sigma", "parameters.points"
METRICS = {"swd": ("SWD", style.DASHES[1]), "dp_swd": ("DP-SWD", style.DASHES[0])}
LIMIT: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.9, "linestyle": style.DASHES[2]}


class SmoothedDistance(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Sliced Wasserstein distance (SWD) and its noisy counterpart (DP-SWD) between N(0, I) and N(c·1, I) in five
    dimensions, after *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021),
    Figure 2. Means over five draws of samples, directions and noise, bands from the smallest to the largest.
    Numbers of points and of directions (200) are this project's choice. **No budget**: rows are not clipped, so the
    noise proves nothing here.
    """

    population: bool = Field(default=True, description="add what both distances go to as the samples grow")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per noise; mean over the draws (seeds) and a band from the smallest to the largest.

        Raises:
            ValueError: a column or a curve is missing.
        """
        require(runs, ["run", "seed", SIGMA, POINTS])
        own = runs[["run", "seed", SIGMA, POINTS]]
        points = pd.concat([curves(own, history, name, "shift") for name in (*METRICS, "population")])
        points = points.rename(columns={SIGMA: "sigma", POINTS: "points", "position": "shift"})
        data = _summary(points)
        noises, sizes = (sorted(own[column].unique()) for column in (SIGMA, POINTS))
        colours = style.ordered_colours([f"{size:g}" for size in sizes])
        with style.context():
            figure, axes = style.panels(1, len(noises), share_y=True)
            figure.set_size_inches(1.35 * style.PANEL[0] * len(noises), 1.45 * style.PANEL[1])
            for axis, noise in zip(axes, noises, strict=True):
                here = points[points["sigma"] == noise]
                for size in sizes:
                    for name, (_, dash) in METRICS.items():
                        rows = here[(here["points"] == size) & (here["metric"] == name)]
                        seeds.band(axis, rows, "shift", "value", alpha=0.12, color=colours[f"{size:g}"], linestyle=dash)
                if self.population:
                    seeds.band(axis, here[here["metric"] == "population"], "shift", "value", alpha=0, **LIMIT)
                axis.set_ylabel("")
                axis.set_title(rf"noise $\sigma$ = {noise:g}")
                axis.set_xlabel("$c$, shift of each coordinate of the mean")
            axes[0].set_ylabel("distance")
            style.legend_below(figure, _handles(colours, population=self.population), columns=3)
        return figure, data.reset_index(drop=True)


def _summary(points: pd.DataFrame) -> pd.DataFrame:
    spread = points.groupby(["metric", "sigma", "points", "shift"])["value"].agg(["mean", "min", "max", "count"])
    table = spread.reset_index().rename(columns={"count": "draws", "min": "least", "max": "most"})
    return table.sort_values("metric", key=lambda names: names.map([*METRICS, "population"].index), kind="stable")


def _handles(colours: Mapping[str, str], *, population: bool) -> list[Line2D]:
    lines = [Line2D([], [], color=colour, label=f"{size} points") for size, colour in colours.items()]
    lines += [Line2D([], [], color="#555555", linestyle=dash, label=name) for name, dash in METRICS.values()]
    if population:
        label = "limit of both, infinitely many points"
        lines.append(Line2D([], [], label=label, **LIMIT))
    return lines
