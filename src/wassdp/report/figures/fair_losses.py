"""The loss of a fair model along its training: a panel per weight, a line per budget (WG Figures 4, 6, 8, 10, 12)."""

from __future__ import annotations

import math
from typing import ClassVar

import pandas as pd
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.report import seeds, style
from wassdp.report.fair import arranged, budget
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
    metric: str = Field(default="objective", description="curve along steps: objective, loss or distance")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a band from the smallest to the largest.

        Raises:
            ValueError: a column or curve is missing, or runs cannot be told apart.
        """
        found = arranged(runs)
        found = found[found["alpha"].isin(self.alphas)] if self.alphas else found
        points = curves(found[["run", "alpha", "target"]], history, self.metric, "step")
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
            axes[0].set_ylabel({"objective": "objective of the batch"}.get(self.metric, f"{self.metric} of the batch"))
            style.legend_below(
                figure, [Line2D([], [], label=names[target], color=colours[target]) for target in targets]
            )
            # A name has a line for each of its budgets.
            figure.set_figheight(figure.get_figheight() + 0.13 * sum(name.count("\n") for name in names.values()))
        return figure, spread
