"""The squared sensitivity of random projections: its density, and the bounds printed for it (SWD, Figures 1 and 7)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.report import style
from wassdp.report.frames import only_run, power, require
from wassdp.report.kinds import Drawing, Figure

AXIS = "squared sensitivity"
K, D, DRAWS = "parameters.projections", "parameters.dimension", "parameters.draws"


class SquaredSensitivity(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    The squared sensitivity ‖Uᵀz‖² of random projections for one fixed unit vector z, after *Differentially Private
    Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021), Figures 1 and 7: a histogram of drawn
    directions, and the **exact** law, computed. Where bounds are marked: the exact quantile, the printed CLT bound
    with the probability that the exact law really puts beyond it, and the printed Bernstein bound (Lemma 2),
    several times the exact quantile.
    """

    tail: float | None = Field(
        default=None, gt=0, lt=1, description="mark bounds and exact quantile at this tail probability"
    )
    normal: bool = Field(default=True, description="add the normal law of equal mean and deviation")

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Drawn histogram, exact density, and, if asked for, bounds at one tail probability.

        Raises:
            ValueError: there is not exactly one run, or a curve is missing.
        """
        require(runs, ["run", K, D, DRAWS])
        run, points = only_run(runs, history)
        densities = points[(points["axis"] == AXIS) & points["metric"].str.startswith("density/")]
        if densities.empty:
            raise ValueError(f"history: has no density/* along {AXIS} for this run")
        marks = points.iloc[:0]
        if self.tail is not None:
            at_tail = np.isclose(points["position"], self.tail, rtol=1e-9, atol=0)
            marks = points[(points["axis"] == "tail") & at_tail]
            if marks.empty:
                raise ValueError(f"tail = {self.tail!r}: no bound was computed there")
        data = pd.concat([densities, marks], ignore_index=True)[["metric", "axis", "position", "value"]]
        figure, (axis,) = style.panels(1, 1)
        figure.set_size_inches(1.7 * style.PANEL[0], 1.35 * style.PANEL[1])
        _densities(axis, densities, normal=self.normal, draws=int(run[DRAWS]))
        if self.tail is not None:
            _bounds(axis, marks, self.tail)
        what = rf"squared sensitivity $\|U^\top z\|^2$, $k$ = {run[K]:g}, $d$ = {run[D]:g}"
        axis.set(xlabel=what, ylabel="density")
        axis.set_ylim(bottom=0)
        figure.legend(*axis.get_legend_handles_labels(), loc="outside right upper")
        figure.set_figwidth(figure.get_figwidth() + 1.9)
        return figure, data


def _densities(axis: Axes, densities: pd.DataFrame, *, normal: bool, draws: int) -> None:
    curves = {
        str(metric).removeprefix("density/"): (rows["position"], rows["value"])
        for metric, rows in densities.sort_values("position").groupby("metric")
    }
    width = float(curves["drawn"][0].diff().median())
    axis.bar(*curves["drawn"], width, color=style.SKY, alpha=0.45, label=f"{draws:,} draws")
    axis.plot(*curves["exact"], color=style.BLACK, linewidth=1.3, label="exact law")
    if normal:
        axis.plot(*curves["normal"], color=style.RED, linestyle=style.DASHES[1], label="normal, equal moments")


def _bounds(axis: Axes, marks: pd.DataFrame, tail: float) -> None:
    values = dict(zip(marks["metric"], marks["value"], strict=True))
    clt, exact, bernstein = values["bound/clt"], values["quantile/upper"], values["bound/bernstein"]
    axis.axvline(exact, color=style.BLACK, linewidth=1.1, label=f"exact quantile, {power(tail)}: {exact:.3f}")
    passed = values["exceeded/clt/upper"]
    label = f"CLT bound: {clt:.3f}\n(passed with {power(float(f'{passed:.1e}'))})"
    axis.axvline(clt, color=style.RED, linewidth=1.1, linestyle=style.DASHES[2], label=label)
    left, right = axis.get_xlim()
    axis.set_xlim(left, max(right, exact) + 0.1 * (max(right, exact) - left))
    off = " (off the axis)" if bernstein > axis.get_xlim()[1] else ""
    axis.plot([], [], linestyle="none", label=f"Bernstein bound: {bernstein:.3f}{off}")
