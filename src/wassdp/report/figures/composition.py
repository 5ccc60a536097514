"""Budgets over the steps of a composition, one panel per clipping quantile (WDP, Figures 2 and 4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.accounting.rounding import fixed, kind_of, worst
from wassdp.report import style
from wassdp.report._frames import curves, require, truth

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY)
QUANTILE = "parameters.clip_quantile"


class Options(style.Options):
    """Options of this figure."""

    clip: bool = Field(description="show the runs whose gradients are clipped (Figure 4), or those that are not (2)")
    companion: bool = Field(default=False, description="put the proven upper bound beside the published budgets")
    published: dict[str, str] = Field(
        default={"DP": "moments", "BDP": "bayesian", "WDP": "wasserstein"},
        description="name of a curve in the figure to the key of its accountant",
    )
    upper: str = Field(default="pld", description="key of the accountant that gives the upper bound")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, of upper bounds the largest, with a band from the smallest to the largest.

    The upper bound is always that of the clipped runs: where nothing is clipped no finite budget is
    known, and the companion says so.

    Raises:
        ValueError: a run, a curve or a column is missing.
    """
    chosen = Options.model_validate(options)
    data = _data(runs, history, chosen)
    with style.context():
        quantiles = sorted(data["clip_quantile"].unique())
        figure, axes = style.panels(1, len(quantiles), share_y=True)
        for letter, axis, quantile in zip("abcdefgh", axes, quantiles, strict=False):
            panel = data[data["clip_quantile"] == quantile]
            _draw_panel(axis, panel, chosen)
            axis.set_title(f"({letter}) $C$ = {quantile:.2f}-quantile of $\\|g_t\\|$", pad=12)
            axis.set_xlabel("step")
        axes[0].set_ylabel(r"privacy budget $\varepsilon$")
        handles = [Line2D([], [], **_look(name, chosen), label=name) for name in chosen.published]
        if chosen.companion:
            label = "proven upper bound" if chosen.clip else "proven upper bound, if gradients were clipped to $C$"
            handles.append(Line2D([], [], color=style.UPPER, linewidth=2.2, label=label))
        style.legend_below(figure, handles)
    return figure, data


def _data(runs: pd.DataFrame, history: pd.DataFrame, options: Options) -> pd.DataFrame:
    require(runs, ["run", "seed", "parameters.clip", QUANTILE])
    is_clipped = truth(runs["parameters.clip"])
    groups = [(name, "published", key, options.clip) for name, key in options.published.items()]
    if options.companion:
        groups.append(("upper bound", "upper", options.upper, True))
    parts = []
    for name, kind, key, clip in groups:
        wanted = runs[is_clipped == clip]
        if wanted.empty:
            raise ValueError(f"runs: has no run with clip = {clip}, which {name} needs")
        points = curves(wanted[["run", "seed", QUANTILE]], history, f"epsilon/{kind}/{key}", "step")
        middle = points.groupby([QUANTILE, "position"])["value"]
        spread = middle.agg([partial(worst, kind=kind_of(kind)), "min", "max", "count"]).reset_index()
        part = spread.set_axis(["clip_quantile", "step", "epsilon", "epsilon_least", "epsilon_most", "seeds"], axis=1)
        parts.append(part.assign(curve=name, kind=kind, accountant=key, clipped=clip))
    data = pd.concat(parts, ignore_index=True)
    order = ["clip_quantile", "curve", "kind", "accountant", "clipped", "seeds"]
    return data[[*order, "step", "epsilon", "epsilon_least", "epsilon_most"]]


def _draw_panel(axis: Axes, panel: pd.DataFrame, options: Options) -> None:
    for (kind, name), rows in panel.groupby(["kind", "curve"], sort=False):
        finite = rows[np.isfinite(rows["epsilon"])]
        look = {"color": style.UPPER, "linewidth": 2.2} if kind == "upper" else _look(str(name), options)
        axis.plot(finite["step"], finite["epsilon"], **look)
        axis.fill_between(
            finite["step"], finite["epsilon_least"], finite["epsilon_most"], color=look["color"], alpha=0.2, linewidth=0
        )
    axis.set_xlim(0, panel["step"].max())
    if options.companion:
        axis.set_yscale("log")
        for _, last in panel[panel["step"] == panel["step"].max()].iterrows():
            if last["kind"] == "upper" and np.isfinite(last["epsilon"]):
                axis.annotate(
                    fixed(last["epsilon"], "upper", decimals=0),
                    (last["step"], last["epsilon"]),
                    xytext=(-2, 4),
                    textcoords="offset points",
                    ha="right",
                    fontsize=8,
                )
        if not options.clip:
            axis.text(
                0.5,
                0.36,
                "gradients as drawn, not clipped:\nno finite budget is known",
                transform=axis.transAxes,
                fontsize=7.5,
                ha="center",
            )
    else:
        axis.set_ylim(bottom=0)
        axis.ticklabel_format(axis="y", style="sci", scilimits=(0, 0), useMathText=True)


def _look(name: str, options: Options) -> dict[str, Any]:
    place = list(options.published).index(name)
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": style.DASHES[place % len(style.DASHES)]}
