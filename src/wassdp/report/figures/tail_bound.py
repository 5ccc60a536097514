"""The published tail bound over beta and over delta (WDP, Figure 3)."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator
from pydantic import Field

from wassdp.ranges import AccountedDelta
from wassdp.report import style
from wassdp.report.frames import only_run, power, require
from wassdp.report.kinds import Drawing, Figure

EXACT: style.Look = {"color": style.UPPER, "linewidth": 1.1}


class TailBound(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    The **published** bound ε = ΣW − log(δ)/β at ΣW = 10, after *Wasserstein Differential Privacy* (Yang, Qi and
    Zhou 2024), Corollary 1 and Figure 3: (a) over β for four δ, (b) over δ for four β.

    **Companion**: ten releases of a query of sensitivity 1 with Gaussian noise σ have ΣW = 10 for *every* σ, since
    each pair of outputs is two translates 1 apart. Black lines are their **exact** budgets (together they are one
    Gaussian mechanism with μ = √10/σ; no sampling, any relation with sensitivity 1), at δ = 1e-5 in (a) and over δ
    in (b). One published value stands for budgets that differ by more than an order of magnitude.
    """

    companion: bool = Field(default=False, description="add exact budgets of releases that have the same losses")
    companion_delta: AccountedDelta = Field(default=1e-5, description="delta of the exact budgets over beta")

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Panel (a) over beta, one line per delta; panel (b) over delta, one line per beta.

        Raises:
            ValueError: there is not exactly one run, or a curve is missing.
        """
        require(runs, ["run"])
        data = _data(only_run(runs, history)[1], self)
        figure, (left, right) = style.panels(1, 2, share_x=False, share_y=True)
        figure.set_size_inches(2 * 1.35 * style.PANEL[0], 1.2 * style.PANEL[1] + (0.8 if self.companion else 0.4))
        for axis, over, label in ((left, "beta", r"$\delta$ = {}"), (right, "delta", r"$\beta$ = {}")):
            panel = data[data["axis"] == over]
            _published(axis, panel[panel["kind"] == "published"], label)
            _exact(axis, panel[panel["kind"] == "exact"])
        if self.companion:
            left.set_yscale("log")
        left.set(title="(a) over the hyperparameter", xlabel=r"$\beta$", ylabel=r"privacy budget $\varepsilon$")
        right.set(title="(b) over the failure probability", xscale="log", xlabel=r"$\delta$")
        if self.companion:
            ticks = [1, 2, 5, 10, 20, 50]
            left.set_yticks(ticks, map(str, ticks))
            left.yaxis.set_minor_locator(NullLocator())
            where = rf"($\delta$ = {power(self.companion_delta)} on the left)"
            note = rf"exact $\varepsilon$ of releases with the same losses, noise $\sigma$ {where}"
            style.legend_below(figure, [(note, EXACT)])
        for axis, place in ((left, (0.5, 0.365)), (right, (0.6, 0.385))):
            # Beside the exact budgets there is room between two of them only.
            beside: style.Look = {"ncols": 2, "loc": "center", "bbox_to_anchor": place} if self.companion else {}
            axis.legend(**beside, frameon=True, framealpha=1, edgecolor="none", borderpad=0.1)
        return figure, data


def _data(history: pd.DataFrame, options: TailBound) -> pd.DataFrame:
    names = {"published/delta/": ("beta", "published"), "published/beta/": ("delta", "published")}
    if options.companion:
        names["exact/scale/"] = ("delta", "exact")
    parts = []
    for prefix, (axis, kind) in names.items():
        points = history[history["metric"].str.startswith(prefix) & (history["axis"] == axis)]
        if points.empty:
            raise ValueError(f"history: has no {prefix}* along {axis} for this run")
        level = points["metric"].str.removeprefix(prefix).astype(float)
        parts.append(points.assign(kind=kind, level=level)[["axis", "kind", "level", "position", "value"]])
    data = pd.concat(parts, ignore_index=True)
    if not options.companion:
        return data
    published, exact = data[data["kind"] == "published"], data[data["kind"] == "exact"]
    at_delta = exact[(exact["position"] / options.companion_delta - 1).abs() < 1e-9]
    if at_delta.empty:
        raise ValueError(f"companion_delta = {options.companion_delta!r}: no exact budget was computed there")
    places = published.groupby("axis")["position"]
    least, most = places.min(), places.max()
    # The exact budget does not know beta: the same value at both ends of panel (a).
    flat = [at_delta.assign(axis="beta", position=end) for end in (least["beta"], most["beta"])]
    inside = exact["position"].between(least["delta"] * 0.999, most["delta"] * 1.001)
    return pd.concat([published, exact[inside], *flat], ignore_index=True)


def _published(axis: Axes, data: pd.DataFrame, label: str) -> None:
    for place, (level, rows) in enumerate(data.groupby("level")):
        axis.plot(rows["position"], rows["value"], label=label.format(power(float(str(level)))), **style.line(place))
    axis.set_xlim(data["position"].min(), data["position"].max())


def _exact(axis: Axes, data: pd.DataFrame) -> None:
    edge: style.Look = {
        "xycoords": axis.get_yaxis_transform(),
        "xytext": (4, 0),
        "textcoords": "offset points",
        "va": "center",
    }
    for level, rows in data.sort_values("position").groupby("level"):
        axis.plot(rows["position"], rows["value"], **EXACT)
        axis.annotate(rf"$\sigma$ = {float(str(level)):g}", (1.0, rows["value"].iloc[-1]), fontsize=8, **edge)
