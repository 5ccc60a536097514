"""The squared sensitivity of random projections: its density, and the bounds printed for it (SWD, Figures 1 and 7)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MplFigure
from pydantic import Field

from wassdp.report import style
from wassdp.report.frames import power, require
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

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Drawn histogram, exact density, and, if asked for, bounds at one tail probability.

        Raises:
            ValueError: there is not exactly one run, or a curve is missing.
        """
        require(runs, ["run", K, D, DRAWS])
        if len(runs) != 1:
            raise ValueError(f"runs: has {len(runs)} rows; this figure shows one run")
        run = runs.iloc[0]
        own = history[history["run"] == run["run"]]
        densities = own[(own["axis"] == AXIS) & own["metric"].str.startswith("density/")]
        if densities.empty:
            raise ValueError(f"history: has no density/* along {AXIS} for this run")
        marks = _marks(own, self.tail)
        data = pd.concat([densities, marks], ignore_index=True)[["metric", "axis", "position", "value"]]
        with style.context():
            figure, (axis,) = style.panels(1, 1)
            figure.set_size_inches(1.7 * style.PANEL[0], 1.35 * style.PANEL[1])
            _densities(axis, densities, normal=self.normal, draws=int(run[DRAWS]))
            if self.tail is not None:
                _bounds(axis, marks, self.tail)
            axis.set_xlabel(rf"squared sensitivity $\|U^\top z\|^2$, $k$ = {run[K]:g}, $d$ = {run[D]:g}")
            axis.set_ylabel("density")
            axis.set_ylim(bottom=0)
            _legend(figure, axis)
        return figure, data


def _legend(figure: MplFigure, axis: Axes) -> None:
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    figure.set_figwidth(figure.get_figwidth() + 1.9)


def _marks(history: pd.DataFrame, tail: float | None) -> pd.DataFrame:
    if tail is None:
        return history.iloc[:0]
    at = history[(history["axis"] == "tail") & np.isclose(history["position"], tail, rtol=1e-9, atol=0)]
    if at.empty:
        raise ValueError(f"tail = {tail!r}: no bound was computed there")
    return at


def _densities(axis: Axes, densities: pd.DataFrame, *, normal: bool, draws: int) -> None:
    def points(name: str) -> pd.DataFrame:
        return densities[densities["metric"] == f"density/{name}"].sort_values("position")

    drawn = points("drawn")
    width = float(drawn["position"].diff().median())
    axis.bar(drawn["position"], drawn["value"], width, color=style.SKY, alpha=0.45, label=f"{draws:,} draws")
    exact = points("exact")
    axis.plot(exact["position"], exact["value"], color=style.BLACK, linewidth=1.3, label="exact law")
    if normal:
        bell = points("normal")
        axis.plot(
            bell["position"], bell["value"], color=style.RED, linestyle=style.DASHES[1], label="normal, equal moments"
        )


def _bounds(axis: Axes, marks: pd.DataFrame, tail: float) -> None:
    values = dict(zip(marks["metric"], marks["value"], strict=True))
    clt, exact, bernstein = values["bound/clt"], values["quantile/upper"], values["bound/bernstein"]
    passed = values["exceeded/clt/upper"]
    axis.axvline(exact, color=style.BLACK, linewidth=1.1, label=f"exact quantile, {power(tail)}: {exact:.3f}")
    axis.axvline(
        clt,
        color=style.RED,
        linewidth=1.1,
        linestyle=style.DASHES[2],
        label=f"CLT bound: {clt:.3f}\n(passed {passed:.1e})",
    )
    span = axis.get_xlim()
    axis.set_xlim(span[0], max(span[1], exact) + 0.1 * (max(span[1], exact) - span[0]))
    off = " (off the axis)" if bernstein > axis.get_xlim()[1] else ""
    axis.plot([], [], linestyle="none", label=f"Bernstein bound: {bernstein:.3f}{off}")
