"""Why methods of generation differ: accuracy over the signal of a released number against its noise."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.generation import CLASSIFIERS, named
from wassdp.report.settings import DATASET, budget_name, rounded

SIGNAL = "signal_to_noise"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


class Options(style.Options):
    """Options of this figure."""

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose epsilon is shown")
    classifier: str = Field(default="accuracy_mlp", description="accuracy_mlp or accuracy_logistic")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """One panel per dataset, one line per method, one shape per budget: mean over the seeds.

    Runs that released no rows and no gradients of them, and those without noise, have no place on the axis.

    Raises:
        ValueError: a column is missing, or there is no run to show.
    """
    import seaborn as sns

    chosen = Options.model_validate(options)
    if chosen.classifier not in CLASSIFIERS:
        raise ValueError(f"classifier = {chosen.classifier!r}: must be one of {', '.join(CLASSIFIERS)}")
    require(runs, [chosen.classifier, SIGNAL])
    own = named(runs, chosen.accountant)
    own = own[own[SIGNAL].notna()]
    if own.empty:
        raise ValueError(f"runs: none has {SIGNAL}")
    data = _summary(own, chosen.classifier)
    colours = dict(zip(dict.fromkeys(data["method"]), style.CYCLE * len(data), strict=False))
    # Budgets are told by shapes: written at every point they would cover each other.
    marks = dict(zip(sorted(data["epsilon"].unique()), itertools.cycle(MARKERS), strict=False))
    with style.context():
        figure, axes = style.wide_panels(data["dataset"].nunique())
        for axis, (dataset, rows) in zip(axes, data.groupby("dataset", sort=False), strict=True):
            place: dict[str, Any] = {"x": SIGNAL, "y": "accuracy", "hue": "method", "palette": colours, "ax": axis}
            sns.lineplot(rows, estimator=None, sort=False, legend=False, **place)
            sns.scatterplot(rows, style="epsilon", markers=marks, s=34, linewidth=0, legend=False, zorder=3, **place)
            axis.set_title(str(dataset))
            axis.set_xscale("log")
            axis.margins(x=0.12, y=0.12)
            style.plain_log_ticks(axis)
            axis.set_xlabel("spread of private rows along a direction\nover the noise on a released number")
            axis.set_ylabel(f"real test images right (%)\n{CLASSIFIERS[chosen.classifier]}, trained on generated ones")
        handles = [
            Line2D([], [], color=colour, label=textwrap.fill(method, 38)) for method, colour in colours.items()
        ] + [
            Line2D([], [], color=style.LOWER, marker=mark, linestyle="", markersize=5, label=budget_name(budget))
            for budget, mark in marks.items()
        ]
        style.legend_right(figure, handles)
    return figure, data


def _summary(own: pd.DataFrame, classifier: str) -> pd.DataFrame:
    grouped = own.groupby([DATASET, "method", "setting"], sort=False)
    table = grouped.agg(
        epsilon=("budget", lambda budgets: rounded(budgets.max())),
        signal_to_noise=(SIGNAL, "mean"),
        accuracy=(classifier, "mean"),
        seeds=("seed", "nunique"),
    ).reset_index()
    table["accuracy"] *= 100
    columns = ["dataset", "method", "epsilon", SIGNAL, "accuracy", "seeds"]
    return table.rename(columns={DATASET: "dataset"}).sort_values(["dataset", "method", "epsilon"])[columns]
