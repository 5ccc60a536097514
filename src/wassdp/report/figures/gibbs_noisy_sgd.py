"""Noisy SGD's distance from the Gibbs posterior over its learning rate."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd

from wassdp.report import seeds, style
from wassdp.report.frames import curves, require
from wassdp.report.kinds import Drawing, Figure
from wassdp.tangent.estimators import is_converged

RATE = "learning_rate"
LINES: dict[str, dict[str, Any]] = {
    "full": {"color": style.PURPLE, "marker": "o"},
    "batch": {"color": style.RED, "marker": "s", "linestyle": style.DASHES[1]},
}
FLOOR: dict[str, Any] = {"color": style.LOWER, "linestyle": style.DASHES[2]}


class GibbsNoisySgd(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    Noisy SGD as a sampler (*Tangent Differential Privacy*, Ying 2025, Remark 3.1): steps w ← w - η (mean gradient +
    ξ) with noise of deviation √(2/(βη)) keep the Gibbs posterior q the better the smaller η is. Shown is the
    Wasserstein distance (order 1, mean over both weights, in deviations of q) between iterates of several chains
    and q on a fine grid. Chains start at draws from q, are longer at small rates, and are read after the first
    half. Open marks: R-hat is 1.01 or more, or fewer than 400 effective draws. Nothing here has a budget: gradients
    are not clipped.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, a band from the smallest to the largest; the level of independent draws below it.

        A rate at which the chains of any seed diverge has no mark: a mean over the others would not say so.

        An open mark: the chains of some seed do not agree, or are too short.

        Raises:
            ValueError: a column or a curve is missing.
        """
        require(runs, ["run", "seed", "records", "parameters.batch", "floor"])
        parts = []
        batch, records = runs["parameters.batch"].iloc[0], runs["records"].iloc[0]
        labels = {"full": f"all {records:g} records a step", "batch": f"{batch:g} records a step"}
        figure, (axis,) = style.panels(1, 1)
        figure.set_size_inches(5.2, 3.6)
        for name, look in LINES.items():
            points = curves(runs[["run"]], history, f"distance/{name}", RATE)
            points = points.assign(finite=np.isfinite(points["value"])).sort_values(RATE)
            points = points[points.groupby(RATE)["finite"].transform("all")]
            table = seeds.summarised(points, [RATE], "value").join(_agree(runs, history, name), on=RATE)
            seeds.band(axis, points, RATE, "value", alpha=0.15, markersize=5, **look)
            few = table[~table["converged"]]
            axis.plot(few[RATE], few["mean"], look["marker"], markersize=5, mfc="white", mec=look["color"], zorder=3)
            parts.append(table.assign(batch=name))
        axis.axhline(runs["floor"].mean(), **FLOOR)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel(r"learning rate $\eta$; gradient noise of deviation $\sqrt{2/(\beta\eta)}$")
        axis.set_ylabel("distance of iterates from q\n(deviations of q)")
        entries = [(labels[name], look | {"markersize": 5}) for name, look in LINES.items()]
        style.legend_below(figure, [*entries, ("as many independent draws from q", FLOOR)], columns=2)
        return figure, pd.concat(parts, ignore_index=True)


def _agree(runs: pd.DataFrame, history: pd.DataFrame, name: str) -> pd.Series[bool]:
    """By learning rate: whether the chains of every seed agree."""
    r_hat, effective = (
        curves(runs[["run"]], history, f"{metric}/{name}", RATE).groupby(RATE)["value"]
        for metric in ("r_hat", "effective")
    )
    worst = pd.DataFrame({"r_hat": r_hat.max(), "effective": effective.min()})
    return pd.Series([is_converged(*row) for row in worst.to_numpy()], index=worst.index, name="converged")
