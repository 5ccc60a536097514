"""Noisy SGD's distance from the Gibbs posterior over its learning rate."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd

from wassdp.report import seeds, style
from wassdp.report.frames import curves, require
from wassdp.report.kinds import Drawing, Figure
from wassdp.tangent.estimators import is_converged

LINES: dict[str, dict[str, Any]] = {
    "full": {"color": style.BLUE, "marker": "o"},
    "batch": {"color": style.RED, "marker": "s", "linestyle": style.DASHES[1]},
}


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

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, a band from the smallest to the largest; the level of independent draws below it.

        An open mark: the chains of some seed do not agree, or are too short.

        Raises:
            ValueError: a column or a curve is missing.
        """
        require(runs, ["run", "seed", "records", "parameters.batch", "floor"])
        parts = []
        batch, records = runs["parameters.batch"].iloc[0], runs["records"].iloc[0]
        labels = {"full": f"all {records:g} records a step", "batch": f"{batch:g} records a step"}
        with style.context():
            figure, (axis,) = style.panels(1, 1)
            figure.set_size_inches(5.2, 3.6)
            for name, look in LINES.items():
                points = curves(runs, history, f"distance/{name}", "learning_rate")
                finite = points[np.isfinite(points["value"])]
                found = finite.groupby("position")["value"].agg(["mean", "min", "max"])
                agree = _agree(runs, history, name).reindex(found.index)
                seeds.band(axis, points, "position", "value", alpha=0.15, label=labels[name], markersize=5, **look)
                few = found["mean"][~agree]
                axis.plot(few.index, few, look["marker"], markersize=5, mfc="white", mec=look["color"], zorder=3)
                parts.append(found.assign(converged=agree).reset_index().assign(batch=name))
            axis.axhline(
                runs["floor"].mean(),
                color=style.LOWER,
                linestyle=style.DASHES[2],
                label="as many independent draws from q",
            )
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_xlabel(r"learning rate $\eta$; gradient noise of deviation $\sqrt{2/(\beta\eta)}$")
            axis.set_ylabel("distance of iterates from q\n(deviations of q)")
            axis.legend()
        names = {"position": "learning_rate", "min": "least", "max": "most"}
        return figure, pd.concat(parts, ignore_index=True).rename(columns=names)


def _agree(runs: pd.DataFrame, history: pd.DataFrame, name: str) -> pd.Series[bool]:
    """By learning rate: whether the chains of every seed agree."""
    r_hat, effective = (
        curves(runs, history, f"{metric}/{name}", "learning_rate").groupby("position")["value"]
        for metric in ("r_hat", "effective")
    )
    worst = pd.DataFrame({"r_hat": r_hat.max(), "effective": effective.min()})
    return pd.Series([is_converged(*row) for row in worst.to_numpy()], index=worst.index)
