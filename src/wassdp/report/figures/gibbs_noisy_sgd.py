"""Noisy SGD's distance from the Gibbs posterior over its learning rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from wassdp.report import seeds, style
from wassdp.report.frames import curves, require
from wassdp.tangent.estimators import is_converged

LINES: dict[str, dict[str, Any]] = {
    "full": {"color": style.BLUE, "marker": "o"},
    "batch": {"color": style.RED, "marker": "s", "linestyle": style.DASHES[1]},
}


class Options(style.Options):
    """This figure has no options."""


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, a band from the smallest to the largest; the level of independent draws below it.

    An open mark: the chains of some seed do not agree, or are too short.

    Raises:
        ValueError: a column or a curve is missing.
    """
    Options.model_validate(options)
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
            runs["floor"].mean(), color=style.LOWER, linestyle=style.DASHES[2], label="as many independent draws from q"
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
