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
from wassdp.report.frames import curves, require, truth

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY)
QUANTILE = "parameters.clip_quantile"
THRESHOLD = "parameters.threshold"
"""Whose quantile C is; a run that names none took its own step's, as published."""
PUBLIC = "population"
AT_ORDER_1 = ", order 1"
LOWEST = 3.0
"""Where the companion's axis begins: leaves room for words below the curves."""
UNBOUNDED = {
    False: "gradients as drawn, not clipped:\nno finite budget is known",
    True: "as published, $C$ is taken from private\nnorms: no finite budget holds there",
}
"""Whether gradients are clipped, to why nothing is proved of the runs as published."""


class Options(style.Options):
    """Options of this figure."""

    clip: bool = Field(description="show the runs whose gradients are clipped (Figure 4), or those that are not (2)")
    companion: bool = Field(
        default=False, description="put beside the published budgets those at order 1, and a proven upper bound"
    )
    published: dict[str, str] = Field(
        default={"DP": "moments", "BDP": "bayesian", "WDP": "wasserstein"},
        description="name of a curve in the figure to the key of its accountant",
    )
    least_order: dict[str, str] = Field(
        default={"DP": "moments-order-1", "BDP": "bayesian-order-1"},
        description="name of a curve of which the companion shows order 1 too, to the key of that accountant",
    )
    upper: str = Field(default="pld", description="key of the accountant that gives the upper bound")


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Mean over the seeds, of upper bounds the largest, with a band from the smallest to the largest.

    Published budgets are of runs whose C is a quantile of the step's own norms. The upper bound is that of the clipped
    runs whose C is public: where nothing is clipped, or C is a statistic of private gradients, no finite budget holds,
    and the companion says so.

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
        names = dict.fromkeys(data.loc[data["kind"] == "published", "curve"])
        handles = [Line2D([], [], **_look(name, chosen), label=name) for name in names]
        if chosen.companion:
            what = "$C$" if chosen.clip else "gradients clipped to $C$,"
            label = f"proven upper bound, {what} a public constant"
            handles.append(Line2D([], [], color=style.UPPER, linewidth=2.2, label=label))
        style.legend_below(figure, handles)
    return figure, data


def _data(runs: pd.DataFrame, history: pd.DataFrame, options: Options) -> pd.DataFrame:
    require(runs, ["run", "seed", "parameters.clip", QUANTILE])
    is_clipped = truth(runs["parameters.clip"])
    is_public = runs[THRESHOLD] == PUBLIC if THRESHOLD in runs else pd.Series(False, index=runs.index)
    groups = [(name, "published", key, options.clip, False) for name, key in options.published.items()]
    if options.companion:
        groups += [
            (f"{name}{AT_ORDER_1}", "published", key, options.clip, False) for name, key in options.least_order.items()
        ]
        groups.append(("upper bound", "upper", options.upper, True, True))
    parts = []
    for name, kind, key, clip, public in groups:
        wanted = runs[(is_clipped == clip) & (is_public == public)]
        if wanted.empty:
            whose = PUBLIC if public else "batch"
            raise ValueError(f"runs: has no run with clip = {clip} and threshold = {whose}, which {name} needs")
        points = curves(wanted[["run", "seed", QUANTILE]], history, f"epsilon/{kind}/{key}", "step")
        middle = points.groupby([QUANTILE, "position"])["value"]
        spread = middle.agg([partial(worst, kind=kind_of(kind)), "min", "max", "count"]).reset_index()
        part = spread.set_axis(["clip_quantile", "step", "epsilon", "epsilon_least", "epsilon_most", "seeds"], axis=1)
        parts.append(part.assign(curve=name, kind=kind, accountant=key, clipped=clip, public=public))
    data = pd.concat(parts, ignore_index=True)
    order = ["clip_quantile", "curve", "kind", "accountant", "clipped", "public", "seeds"]
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
        axis.set_ylim(bottom=LOWEST)
        axis.text(0.5, 0.06, UNBOUNDED[options.clip], transform=axis.transAxes, fontsize=7.5, ha="center")
    else:
        axis.set_ylim(bottom=0)
        axis.ticklabel_format(axis="y", style="sci", scilimits=(0, 0), useMathText=True)


def _look(name: str, options: Options) -> dict[str, Any]:
    """A curve at order 1 has its accountant's colour and line, but is thin."""
    of = name.removesuffix(AT_ORDER_1)
    place = list(options.published).index(of)
    width = {} if name == of else {"linewidth": 0.8}
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": style.DASHES[place % len(style.DASHES)]} | width
