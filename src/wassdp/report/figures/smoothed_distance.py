"""SWD and DP-SWD between two Gaussians that move apart (SWD, Figure 2)."""

from __future__ import annotations

from typing import Any, ClassVar

import pandas as pd
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

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per noise; mean over the draws (seeds) and a band from the smallest to the largest.

        Raises:
            ValueError: a column or a curve is missing.
        """
        require(runs, ["run", "seed", SIGMA, POINTS])
        known = runs[["run", "seed", SIGMA, POINTS]].rename(columns={SIGMA: "sigma", POINTS: "points"})
        names = [*METRICS, "population"]
        points = pd.concat([curves(known, history, name, "shift") for name in names])
        keys = ["metric", "sigma", "points", "shift"]
        data = seeds.summarised(points, keys, "value", draws=("value", "count"))
        data = data.sort_values(keys, key=lambda column: column.map(names.index) if column.name == "metric" else column)
        sizes = sorted(known["points"].unique())
        colours = dict(zip(sizes, style.ordered_colours([f"{size:g}" for size in sizes]).values(), strict=True))
        panels = list(points.groupby("sigma"))
        figure, axes = style.panels(1, len(panels), share_y=True)
        figure.set_size_inches(1.35 * style.PANEL[0] * len(panels), 1.45 * style.PANEL[1])
        for axis, (noise, panel) in zip(axes, panels, strict=True):
            for size, colour in colours.items():
                for name, (_, dash) in METRICS.items():
                    rows = panel[(panel["points"] == size) & (panel["metric"] == name)]
                    seeds.band(axis, rows, "shift", "value", alpha=0.12, color=colour, linestyle=dash)
            if self.population:
                seeds.band(axis, panel[panel["metric"] == "population"], "shift", "value", alpha=0, **LIMIT)
            axis.set(
                title=rf"noise $\sigma$ = {noise:g}", xlabel="$c$, shift of each coordinate of the mean", ylabel=""
            )
        axes[0].set_ylabel("distance")
        looks: dict[str, style.Look] = {f"{size:,.0f} points": {"color": colour} for size, colour in colours.items()}
        looks |= {name: {"color": "#555555", "linestyle": dash} for name, dash in METRICS.values()}
        if self.population:
            looks["limit of both, infinitely many points"] = LIMIT
        style.legend_below(figure, looks.items(), columns=3)
        return figure, data.reset_index(drop=True)
