"""A Gaussian sample on its way to a circle: pictures along the training, with each side's budget (WG Figure 13)."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import budget_text

SIDES = ("x", "z")
SAMPLE, CIRCLE = style.SKY, style.RED


class MatchedPoints(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    A model turns a Gaussian sample X into the circle Z, both private, after *Learning with Differentially Private
    (Sliced) Wasserstein Gradients*, Figure 13. The budgets are **proven** (accountant ``upper/pld``, δ = 0.1/n, batches
    without replacement, one record of that side replaced). Z costs less than X: the model is not applied to it, so that
    it enters with no Jacobian. Steps, budget and the norm that noisy gradients are clipped to are this project's
    choice. Panels show, of one seed, a part of either side's points. **All points** is the sliced W₂² of all points of
    both sides, before and after the training; **a batch** is that of the batch of that step, before its update, with
    the model's outputs clipped to norm M. Points and distances read data without noise: they are evaluation.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """A row per run of the least seed, a panel per picture.

        Raises:
            ValueError: a column or picture is missing.
        """
        require(runs, ["run", "seed"])
        shown = runs[runs["seed"] == runs["seed"].min()].set_index("run").rename(index=str)
        pictures = {run: _pictures(history, run) for run in shown.index}
        columns = max(table["step"].nunique() for table in pictures.values())
        figure, axes = style.panels(len(pictures), columns, share_y=True)
        width = min(2.1, style.WIDEST / columns)
        figure.set_size_inches(width * columns, (width + 0.7) * len(pictures) + 0.3)
        for place, (run, table) in enumerate(pictures.items()):
            circle, last = table[table["side"] == "z"], table["step"].max()
            whole = {step: shown.loc[run].get(name) for step, name in ((0, "distance_before"), (last, "distance"))}
            for axis, (step, sample) in zip(axes[place * columns :], table.groupby("step"), strict=False):
                axis.scatter(circle["first"], circle["second"], s=3, color=CIRCLE, linewidths=0, rasterized=True)
                axis.scatter(
                    sample["first"], sample["second"], s=3, color=SAMPLE, alpha=0.8, linewidths=0, rasterized=True
                )
                axis.set(aspect="equal", xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
                title = _title(history[history["run"] == run], int(str(step)), whole.get(step))
                axis.set_title(title, fontsize=7.5)
        for place, axis in enumerate(axes):
            axis.set_xlabel("first coordinate" if place >= len(axes) - columns else "")
            axis.set_ylabel("" if place % columns else "second coordinate")
        mark: style.Look = {"marker": "o", "linestyle": "", "markersize": 4}
        names = {"model of the Gaussian sample X": SAMPLE, "circle Z": CIRCLE}
        style.legend_below(figure, [(name, {"color": colour, **mark}) for name, colour in names.items()])
        data = pd.concat(pictures.values(), ignore_index=True)
        return figure, data.assign(seed=data["run"].map(shown["seed"]))


def _pictures(history: pd.DataFrame, run: str) -> pd.DataFrame:
    """The points of the sample at each pictured step, then those of the circle, which have no step."""
    points = history[(history["run"] == run) & (history["axis"] == "point")]
    steps = sorted({int(name.split("/")[1]) for name in points["metric"] if name.startswith("x/")})
    if not steps:
        raise ValueError(f"history: has no pictures of run {run}")
    parts = [_points(points, f"x/{step}").assign(step=step, run=run, side="x") for step in steps]
    return pd.concat([*parts, _points(points, "z").assign(step=None, run=run, side="z")], ignore_index=True)


def _points(points: pd.DataFrame, name: str) -> pd.DataFrame:
    first, second = (
        points[points["metric"] == f"{name}/{coordinate}"].set_index("position")["value"] for coordinate in (0, 1)
    )
    return pd.DataFrame({"first": first, "second": second}).reset_index(drop=True)


def _title(history: pd.DataFrame, step: int, whole: float | None) -> str:
    """Step, the distance of all points or else of the batch of that step, and both budgets, rounded up."""
    lines = [f"step {step}"]
    batches = history[(history["metric"] == "distance") & (history["position"] == step)]
    if whole is not None and not pd.isna(whole):
        lines.append(f"all points {whole:.3g}")
    elif not batches.empty:
        lines.append(f"a batch {batches['value'].iloc[0]:.3g}")
    budgets = []
    for side in SIDES:
        spent = history[(history["metric"] == f"epsilon_{side}/upper/pld") & (history["position"] == step)]
        if not spent.empty:
            budgets.append(rf"$\varepsilon_{{{side.upper()}}}$ = {budget_text(float(spent['value'].iloc[0]))}")
    return "\n".join([*lines, ", ".join(budgets) or ("no noise" if step else "before")])
