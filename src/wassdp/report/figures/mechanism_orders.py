"""Budgets of the Laplace and Gaussian mechanisms over the order (WDP, Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pandas as pd
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.accounting.rounding import fixed
from wassdp.report import style
from wassdp.report.frames import curves, power, require
from wassdp.report.kinds import Drawing, Figure

PANELS = (
    ("laplace", "renyi", "(a) Laplace mechanism, RDP"),
    ("gaussian", "renyi", "(b) Gaussian mechanism, RDP"),
    ("laplace", "wasserstein", "(c) Laplace mechanism, WDP"),
    ("gaussian", "wasserstein", "(d) Gaussian mechanism, WDP"),
)
EXACT: style.Look = {"color": style.UPPER, "linewidth": 2.2}


class MechanismOrders(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Budgets of the Laplace and Gaussian mechanisms over the order, sensitivity 1, noise scales 1, 2, 3 and 5, after
    *Wasserstein Differential Privacy* (Yang, Qi and Zhou 2024), Figure 1. **Published** formulas of Table 1: Rényi
    divergence of order α, and WDP budget of order μ (Propositions 7 and 8). No sampling, one release, under any
    neighbouring relation for which the query's sensitivity is 1.

    **Companion**: the black line is the exact Wasserstein distance of the two output distributions. They are two
    translates, 1 apart, so it is 1 for every order, mechanism and scale (also computed from the two quantile
    functions); the published WDP budgets lie below half of it. Diamonds are the exact ε at δ = 1e-5 (closed form
    for Laplace noise, analytic Gaussian mechanism for Gaussian noise), in the colour of their scale; values above
    the axis are printed with an arrow. The distance does not see the noise that the exact ε depends on.
    """

    companion: bool = Field(default=False, description="add the exact Wasserstein distance and the exact epsilon")
    top: float = Field(default=2.0, gt=0, description="upper end of the vertical axis")

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One line per noise scale.

        Raises:
            ValueError: a run, a curve or a column is missing.
        """
        data = _data(runs, history, self)
        looks = {scale: style.line(place) for place, scale in enumerate(sorted(data["scale"].unique()))}
        figure, axes = style.panels(2, 2, share_y=True)
        for axis, (mechanism, framework, title) in zip(axes, PANELS, strict=True):
            panel = data[(data["mechanism"] == mechanism) & (data["framework"] == framework)]
            _draw_panel(axis, panel, looks, self)
            axis.set(title=title, ylim=(0, self.top))
        for axis in axes[2:]:
            axis.set_xlabel(r"order ($\alpha$ of RDP, $\mu$ of WDP)")
        for axis in axes[::2]:
            axis.set_ylabel(r"privacy budget $\varepsilon$")
        entries: dict[str, style.Look] = {
            rf"scale $\lambda$, $\sigma$ = {scale:g}": look for scale, look in looks.items()
        }
        if self.companion:
            entries[r"true $W_\mu$, every scale"] = EXACT
            label = rf"exact $\varepsilon$ at $\delta$ = {power(data['delta'].iloc[0])}, in the colour of its scale"
            entries[label] = {"color": "#555555", "marker": "D", "linestyle": "", "markersize": 5}
        style.legend_below(figure, entries.items(), columns=2)
        return figure, data


def _data(runs: pd.DataFrame, history: pd.DataFrame, options: MechanismOrders) -> pd.DataFrame:
    keys = ["parameters.mechanism", "parameters.scale", "parameters.delta", "epsilon_exact"]
    require(runs, ["run", *keys])
    metrics = [("renyi", "published"), ("wasserstein", "published")]
    columns = ["mechanism", "framework", "source", "scale", "order", "budget"]
    if options.companion:
        metrics.append(("wasserstein", "exact"))
        columns += ["delta", "epsilon_exact"]
    parts = [
        curves(runs[["run", *keys]], history, f"{framework}/{source}", "order").assign(
            framework=framework, source=source
        )
        for framework, source in metrics
    ]
    data = pd.concat(parts, ignore_index=True).rename(columns={"value": "budget"})
    return data.rename(columns=lambda name: name.removeprefix("parameters."))[columns]


def _draw_panel(axis: Axes, panel: pd.DataFrame, looks: Mapping[float, style.Look], options: MechanismOrders) -> None:
    published = panel[panel["source"] == "published"]
    for scale, rows in published.groupby("scale"):
        axis.plot(rows["order"], rows["budget"], **looks[float(str(scale))])
    axis.set_xlim(panel["order"].min(), panel["order"].max())
    if not options.companion:
        return
    for _, rows in panel[panel["source"] == "exact"].groupby("scale"):
        axis.plot(rows["order"], rows["budget"], **EXACT)
    # The exact epsilon has no order: it stands at the right edge, one mark per scale.
    edge: style.Look = {"markersize": 5, "clip_on": False, "transform": axis.get_yaxis_transform()}
    for scale, rows in published.groupby("scale"):
        value = float(rows["epsilon_exact"].iloc[0])
        color = looks[float(str(scale))]["color"]
        if value <= options.top:
            axis.plot([1.0], [value], "D", color=color, **edge)
        else:
            text = rf"{fixed(value, 'upper')} $\uparrow$"
            place: style.Look = {"xycoords": "axes fraction", "ha": "right", "va": "top"}
            axis.annotate(text, (0.93, 0.99), color=color, fontsize=8, **place)
