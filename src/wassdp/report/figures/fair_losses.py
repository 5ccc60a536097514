"""The loss of a fair model along its training: a panel per weight, a line per budget (WG Figures 4, 6, 8, 10, 12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field

from wassdp.report import fair, seeds, style
from wassdp.report.fair import arranged, budget, of_weights, shades
from wassdp.report.frames import curves
from wassdp.report.kinds import Drawing, Figure


class FairLosses(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    The {{ metric }} of each batch along the training of models with a fairness penalty, after *Learning with
    Differentially Private (Sliced) Wasserstein Gradients*, Figures 4, 6, 8, 10 and 12: mean over the seeds, bands
    from the smallest to the largest. **Published** budgets are a limit and no bound; **proven** ones hold when one
    record is replaced inside its group, with group sizes public and δ = 0.1/n. The curves read batches without
    noise: they are evaluation, and no part of what the budgets cover.
    """

    alphas: tuple[float, ...] = Field(default=(), description="weights of the penalty to show; empty: all")
    metric: Literal["objective", "loss", "distance"] = Field(default="objective", description="curve along steps")

    def parameters_shown(self) -> Mapping[str, str]:
        return {"alphas": "alpha"}

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        Raises:
            ValueError: a column or curve is missing, a weight is not there, or runs cannot be told apart.
        """
        known = of_weights(arranged(runs), self.alphas)
        points = curves(known[["run", "alpha", "target"]], history, self.metric, "step")
        points = points.sort_values(["alpha", "target", "step"], ascending=[True, False, True], kind="stable")
        spread = seeds.summarised(points, ["alpha", "target", "step"], "value", seeds=("value", "count"))
        colours = shades(points["target"])
        panels = list(points.groupby("alpha"))
        columns = min(2, len(panels))
        figure, axes = style.panels(-(-len(panels) // columns), columns)
        figure.set_size_inches((4.35, style.WIDEST)[columns - 1], style.PANEL[1] * len(axes) / columns)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for axis, (alpha, panel) in zip(axes, panels, strict=False):
            for target, rows in panel.groupby("target", sort=False):
                seeds.band(axis, rows, "step", "value", linewidth=1.1, color=colours[float(str(target))])
            axis.set(title=rf"$\alpha$ = {alpha:g}", xlabel="step", ylabel="")
        for axis in axes[::columns]:
            axis.set_ylabel(f"{self.metric} of the batch")
        if text := fair.named(runs):
            style.over(figure, text)
        names = [budget(known[known["target"] == target]) for target in colours]
        style.legend_below(figure, zip(names, ({"color": colour} for colour in colours.values()), strict=True))
        return figure, spread.sort_values(["alpha", "target", "step"], ignore_index=True)
