"""Budgets over the steps of a composition, one panel per clipping quantile (WDP, Figures 2 and 4)."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.accounting.rounding import fixed, kind_of, worst
from wassdp.report import seeds, style
from wassdp.report.frames import curves, require, truth
from wassdp.report.kinds import Drawing, Figure

PROVEN: style.Look = {"color": style.UPPER, "linewidth": 2.2}
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


class Composition(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Budgets over 100 noisy steps on synthetic gradients, after *Wasserstein Differential Privacy* (Yang, Qi and Zhou
    2024), Figure 2 (gradients not clipped) and Figure 4 (clipped to C). Each step draws 50 gradients of 1000
    independent Weibull(0.5) coordinates; C is the 0.05, 0.50, 0.75 or 0.99 quantile of that step's 50 norms; the
    noise has standard deviation 0.2 C. Lines are means over seeds, bands go from the smallest to the largest.

    **Published** (a paper's own formula, whatever it proves): *DP* is the moments accountant at the single order λ
    = 16 with distance 2C, also where nothing is clipped; *BDP* the Bayesian accountant at λ = 16; *WDP* the
    Wasserstein accountant as its authors coded it, μ = 16 and β = 1, summed over the 1225 pairs of gradients.
    Poisson sampling with rate 0.001, δ = 1e-5; relation replace-one, since a measured distance is that of one
    record's gradient in the place of another's. The formulas of DP and BDP are proved for a record added or removed
    and are read with the distance of a replacement. A BDP budget holds for records drawn like the measured ones,
    not in the worst case. WDP is no bound on likelihood ratios: its curve is the noise counted as distance, ε ≈ T
    √2 σ C (15!! · 1225)^{1/16}, and grows with σ.

    **No finite budget holds for these runs**: C is a quantile of the step's own private norms. Where half of the
    gradients are long and half short, replacing one can double the median, and with it the noise: 1000 coordinates
    show which it was, whatever ε is claimed at δ = 1e-5.

    **Companion** (logarithmic axis): the same curves beside *DP* and *BDP* at *order 1* (thin) and a *proven upper
    bound*. The single order 16 inflates DP and BDP tenfold: at λ = 1 DP ends at 8,630 and, where gradients are
    clipped, BDP near 3,170, both below WDP, which the figures show as the lowest. The proven bound composes privacy
    loss distributions of **another run**: clipped gradients, replace-one, noise multiplier 0.2 C / 2C = 0.1,
    Poisson sampling with rate 0.001, δ = 1e-5, and a public C, the quantile of the norm's law (computed by
    convolution; 127.0, 151.5, 164.3 and 210.8), which no gradient enters. It ends at ε = 157. It says nothing about
    the runs as published, nor about gradients that are not clipped, for which no finite budget is known, for any δ
    below the sampling rate of one step.
    """

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

    def accountants_needed(self) -> tuple[str, ...]:
        first = tuple(self.least_order.values())
        return (*self.published.values(), *((*first, self.upper) if self.companion else ()))

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, of upper bounds the largest, with a band from the smallest to the largest.

        Published budgets are of runs whose C is a quantile of the step's own norms. The upper bound is that of the
        clipped runs whose C is public: where nothing is clipped, or C is a statistic of private gradients, no finite
        budget holds, and the companion says so.

        Raises:
            ValueError: a run, a curve or a column is missing.
        """
        data = _data(runs, history, self)
        panels = list(data.groupby("clip_quantile"))
        columns = min(2, len(panels))
        rows = -(-len(panels) // columns)
        figure, axes = style.panels(rows, columns, share_y=True)
        figure.set_size_inches(style.WIDEST if columns > 1 else 4.35, rows * style.PANEL[1])
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for letter, axis, (quantile, panel) in zip("abcdefgh", axes, panels, strict=False):
            _draw_panel(axis, panel, self)
            axis.set_title(f"({letter}) $C$ = {quantile:.2f}-quantile of $\\|g_t\\|$", pad=12)
            axis.set_xlabel("step")
        for axis in axes[::columns]:
            axis.set_ylabel(r"privacy budget $\varepsilon$")
        names = dict.fromkeys(data.loc[data["kind"] == "published", "curve"])
        looks = {name: _look(name, self) for name in names}
        if self.companion:
            what = "$C$" if self.clip else "gradients clipped to $C$,"
            looks[f"proven upper bound, {what} a public constant"] = PROVEN
        style.legend_below(figure, looks.items())
        return figure, data


def _data(runs: pd.DataFrame, history: pd.DataFrame, options: Composition) -> pd.DataFrame:
    require(runs, ["run", "seed", "parameters.clip", QUANTILE])
    is_clipped = truth(runs["parameters.clip"])
    is_public = runs[THRESHOLD] == PUBLIC if THRESHOLD in runs else pd.Series(False, index=runs.index)
    named = dict(options.published)
    if options.companion:
        named |= {f"{name}{AT_ORDER_1}": key for name, key in options.least_order.items()}
    groups = [(name, "published", key, options.clip, False) for name, key in named.items()]
    if options.companion:
        groups.append(("upper bound", "upper", options.upper, True, True))
    parts = []
    for name, kind, key, clip, public in groups:
        wanted = runs[(is_clipped == clip) & (is_public == public)]
        if wanted.empty:
            whose = PUBLIC if public else "batch"
            raise ValueError(f"runs: has no run with clip = {clip} and threshold = {whose}, which {name} needs")
        points = curves(wanted[["run", "seed", QUANTILE]], history, f"epsilon/{kind}/{key}", "step")
        middle = points.groupby([QUANTILE, "step"])["value"]
        spread = middle.agg([partial(worst, kind=kind_of(kind)), "min", "max", "count"]).reset_index()
        part = spread.set_axis(["clip_quantile", "step", *seeds.ranged("epsilon"), "seeds"], axis=1)
        parts.append(part.assign(curve=name, kind=kind, accountant=key, clipped=clip, public=public))
    order = ["clip_quantile", "curve", "kind", "accountant", "clipped", "public", "seeds"]
    return pd.concat(parts, ignore_index=True)[[*order, "step", *seeds.ranged("epsilon")]]


def _draw_panel(axis: Axes, panel: pd.DataFrame, options: Composition) -> None:
    for (kind, name), rows in panel.groupby(["kind", "curve"], sort=False):
        finite = rows[np.isfinite(rows["epsilon"])]
        look = PROVEN if kind == "upper" else _look(str(name), options)
        axis.plot(finite["step"], finite["epsilon"], **look)
        ends = finite["epsilon_least"], finite["epsilon_most"]
        axis.fill_between(finite["step"], *ends, color=look["color"], alpha=0.2, linewidth=0)
    axis.set_xlim(0, panel["step"].max())
    if not options.companion:
        axis.set_ylim(bottom=0)
        axis.ticklabel_format(axis="y", style="sci", scilimits=(0, 0), useMathText=True)
        return
    axis.set_yscale("log")
    last = panel[(panel["step"] == panel["step"].max()) & (panel["kind"] == "upper") & np.isfinite(panel["epsilon"])]
    for point in zip(last["step"], last["epsilon"], strict=True):
        text = fixed(point[1], "upper", decimals=0)
        axis.annotate(text, point, (-2, 4), textcoords="offset points", ha="right", fontsize=8)
    axis.set_ylim(bottom=LOWEST)
    axis.text(0.5, 0.06, UNBOUNDED[options.clip], transform=axis.transAxes, fontsize=7.5, ha="center")


def _look(name: str, options: Composition) -> style.Look:
    """A curve at order 1 has its accountant's colour and line, but is thin."""
    published = name.removesuffix(AT_ORDER_1)
    place = list(options.published).index(published)
    width = {} if name == published else {"linewidth": 0.8}
    return {
        "color": style.KINDS.get(published, style.OTHERS[place % len(style.OTHERS)]),
        "linestyle": style.DASHES[place % len(style.DASHES)],
    } | width
