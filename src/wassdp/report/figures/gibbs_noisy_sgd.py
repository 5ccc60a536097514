"""Noisy SGD's distance from the Gibbs posterior over its learning rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from wassdp.report import style
from wassdp.report._frames import curves, require

LINES: dict[str, dict[str, Any]] = {
    "full": {"color": style.BLUE, "marker": "o"},
    "batch": {"color": style.RED, "marker": "s", "linestyle": style.DASHES[1]},
}


class Options(style.Options):
    """This figure has no options."""


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, a band from the smallest to the largest; the level of independent draws below it.

    Raises:
        ValueError: a column or a curve is missing.
    """
    Options.model_validate(options)
    require(runs, ["run", "seed", "records", "parameters.batch", "parameters.steps", "floor"])
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
            axis.plot(found.index, found["mean"], markersize=4, label=labels[name], **look)
            axis.fill_between(found.index, found["min"], found["max"], color=look["color"], alpha=0.15, linewidth=0)
            parts.append(found.reset_index().assign(batch=name))
        axis.axhline(
            runs["floor"].mean(), color=style.LOWER, linestyle=style.DASHES[2], label="as many independent draws from q"
        )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel(r"learning rate $\eta$; gradient noise of deviation $\sqrt{2/(\beta\eta)}$")
        axis.set_ylabel(f"distance of iterates from q\n(deviations of q, {runs['parameters.steps'].iloc[0]:g} steps)")
        axis.legend()
    names = {"position": "learning_rate", "min": "least", "max": "most"}
    return figure, pd.concat(parts, ignore_index=True).rename(columns=names)
