"""A Gaussian sample on its way to a circle: pictures along the training, with each side's budget (WG Figure 13)."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import budget_text

SIDES = ("x", "z")


class MatchedPoints(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    A model turns a Gaussian sample X into the circle Z, both private, after *Learning with Differentially Private
    (Sliced) Wasserstein Gradients*, Figure 13. The budgets are **proven** (accountant ``upper/pld``, δ = 0.1/n,
    batches without replacement, one record of that side replaced). Z costs less than X: the model is not applied to
    it, so that it enters with no Jacobian. Steps, budget and the norm that noisy gradients are clipped to are this
    project's choice. Points and distances read data without noise: they are evaluation.
    """

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """A row per run of the least seed, a panel per picture.

        Raises:
            ValueError: a column or picture is missing.
        """
        require(runs, ["run", "seed"])
        first = runs[runs["seed"] == runs["seed"].min()]
        pictures = {str(run): _pictures(history, str(run)) for run in first["run"]}
        columns = max(table["step"].nunique() for table in pictures.values())
        parts = []
        with style.context():
            figure, axes = style.panels(len(pictures), columns, share_y=True)
            figure.set_size_inches(2.1 * columns, 2.5 * len(pictures) + 0.3)
            for place, (run, table) in enumerate(pictures.items()):
                own = history[history["run"] == run]
                fixed = _points(own, "z")
                for axis, (step, rows) in zip(axes[place * columns :], table.groupby("step"), strict=False):
                    _panel(axis, rows, fixed)
                    axis.set_title(_title(own, int(str(step))), fontsize=7)
                    parts.append(rows.assign(run=run, side="x"))
                parts.append(fixed.assign(run=run, side="z", step=None))
            handles = [
                Line2D([], [], marker="o", linestyle="", markersize=4, color=colour, label=name)
                for colour, name in ((style.BLUE, "model of the Gaussian sample X"), (style.ORANGE, "circle Z"))
            ]
            style.legend_below(figure, handles)
        return figure, pd.concat(parts, ignore_index=True)


def _pictures(history: pd.DataFrame, run: str) -> pd.DataFrame:
    own = history[(history["run"] == run) & (history["axis"] == "point")]
    steps = sorted({int(name.split("/")[1]) for name in own["metric"] if name.startswith("x/")})
    if not steps:
        raise ValueError(f"history: has no pictures of run {run}")
    return pd.concat([_points(own, f"x/{step}").assign(step=step) for step in steps], ignore_index=True)


def _points(own: pd.DataFrame, name: str) -> pd.DataFrame:
    sides = [own[own["metric"] == f"{name}/{coordinate}"].set_index("position")["value"] for coordinate in (0, 1)]
    return pd.DataFrame({"first": sides[0], "second": sides[1]}).reset_index(drop=True)


def _panel(axis: Axes, rows: pd.DataFrame, fixed: pd.DataFrame) -> None:
    axis.scatter(fixed["first"], fixed["second"], s=3, color=style.ORANGE, linewidths=0)
    axis.scatter(rows["first"], rows["second"], s=3, color=style.BLUE, alpha=0.6, linewidths=0)
    axis.set_aspect("equal")
    axis.set_xlim(-1.2, 1.2)
    axis.set_ylim(-1.2, 1.2)


def _title(own: pd.DataFrame, step: int) -> str:
    """Step, the last distance of a batch up to it, and both budgets, rounded up."""
    lines = [f"step {step}"]
    distances = own[(own["metric"] == "distance") & (own["position"] <= max(step, 1))]
    if not distances.empty:
        lines.append(f"distance {distances.sort_values('position')['value'].iloc[-1]:.3g}")
    budgets = []
    for side in SIDES:
        spent = own[(own["metric"] == f"epsilon_{side}/upper/pld") & (own["position"] == step)]
        if not spent.empty:
            budgets.append(rf"$\varepsilon_{{{side.upper()}}}$ = {budget_text(float(spent['value'].iloc[0]))}")
    return "\n".join([*lines, ", ".join(budgets) or ("no noise" if step else "before")])
