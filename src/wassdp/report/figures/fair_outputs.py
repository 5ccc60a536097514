"""What a fair model makes of two groups: scores, or outputs in the plane (WG Figures 1, 2, 3, 5, 7, 9 and 11)."""

from __future__ import annotations

from typing import Any, ClassVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.report import style
from wassdp.report.fair import arranged, budget, means
from wassdp.report.kinds import Drawing, Figure

COLOURS = {"0": style.BLUE, "1": style.ORANGE}
DASHES: dict[str, Any] = {"": "-", "0": "-", "1": (0, (3, 1.5))}
TRAINING = (("noise", "noise_std"), ("loss", "objective"), ("L", "loss"), ("W", "distance"))
TEST = (
    ("ACC", "accuracy"),
    ("DI", "disparate_impact"),
    ("EO0", "equality_0"),
    ("EO1", "equality_1"),
    ("OD0", "above_diagonal_0"),
    ("OD1", "above_diagonal_1"),
    ("RLc", "core_loss"),
)


class FairOutputs(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    What models trained with a fairness penalty make of the groups of the training set, after *Learning with
    Differentially Private (Sliced) Wasserstein Gradients* (Rodríguez-Vítores, Lalanne and Loubes), Figures 1, 2, 3,
    5, 7, 9 and 11: weights of the penalty across, budgets down. Points and histograms are of the first seed; the
    numbers are means over the seeds: deviation of the noise on each coordinate of a gradient, objective, loss (L)
    and squared Wasserstein distance (W) of the training set, then measures of the test set. **Published** budgets
    are the limit that the paper may have used, which is no bound; **proven** ones hold when one record is replaced
    inside its group, with group sizes public, batches without replacement and δ = 0.1/n. "No noise" has the same
    clipping and no guarantee. Optimiser, initialisation, size of the test set and the grid of budgets and weights
    are this project's choice where the paper leaves them open. The pictures read data without noise: they are
    evaluation, and no part of what the budgets cover.
    """

    alphas: tuple[float, ...] = Field(default=(), description="weights of the penalty to show; empty: all")
    measures: tuple[str, ...] = Field(
        default=("ACC", "DI"),
        description=f"measured on test data, above each panel: of {', '.join(n for n, _ in TEST)}",
    )

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """A panel per weight (across) and budget (down): the first seed's training set; numbers are means over seeds.

        The data have the points or histograms of each panel and, as rows of axis ``measure``, the numbers above it.

        Raises:
            ValueError: a column or curve is missing, a weight is not there, or runs cannot be told apart.
        """
        found = arranged(runs)
        missing = set(self.alphas) - set(found["alpha"])
        if missing:
            raise ValueError(f"alphas: no run has {sorted(missing)}")
        found = found[found["alpha"].isin(self.alphas)] if self.alphas else found
        alphas, targets = sorted(found["alpha"].unique()), list(dict.fromkeys(found["target"]))
        measures = [(short, name) for short, name in TEST if short in self.measures]
        parts = []
        with style.context():
            figure, axes = style.panels(len(targets), len(alphas), share_x=True, share_y=False)
            figure.set_size_inches(2.5 * len(alphas) + 0.6, 2.25 * len(targets) + 0.4)
            for place, axis in enumerate(axes):
                target, alpha = targets[place // len(alphas)], alphas[place % len(alphas)]
                rows = found[(found["target"] == target) & (found["alpha"] == alpha)]
                if rows.empty:
                    axis.set_visible(False)
                    continue
                shown = _curves(history, str(rows["run"].iloc[0]))
                _panel(axis, shown)
                title = [rf"$\alpha$ = {alpha:g}"] if place < len(alphas) else []
                axis.set_title("\n".join([*title, means(rows, TRAINING), means(rows, measures)]), fontsize=7)
                if place % len(alphas) == 0:
                    axis.set_ylabel(budget(found[found["target"] == target]), fontsize=7)
                numbers = {name: rows[name].mean() for _, name in (*TRAINING, *TEST) if name in rows}
                above = pd.DataFrame({"axis": "measure", "coordinate": list(numbers), "value": list(numbers.values())})
                both = pd.concat([shown, above], ignore_index=True)
                parts.append(both.assign(alpha=alpha, target=target, seeds=rows["seed"].nunique()))
            style.legend_below(figure, _legend(parts[0].dropna(subset="group")))
        return figure, pd.concat(parts, ignore_index=True)


def _curves(history: pd.DataFrame, run: str) -> pd.DataFrame:
    own = history[(history["run"] == run) & history["axis"].isin(["score", "point"])]
    if own.empty:
        raise ValueError(f"history: has no scores and no outputs of run {run}")
    names = own["metric"].str.split("/", expand=True)
    table = own.assign(group=names[1], coordinate=names.get(2))
    return table[["run", "axis", "group", "coordinate", "position", "value"]].reset_index(drop=True)


def _panel(axis: Axes, shown: pd.DataFrame) -> None:
    for group, rows in shown.groupby("group"):
        attribute, _, label = str(group).partition(",")
        colour = COLOURS[attribute]
        if rows["axis"].iloc[0] == "score":
            axis.step(
                rows["position"], rows["value"], where="mid", color=colour, linestyle=DASHES[label], linewidth=1.1
            )
            if not label:
                axis.fill_between(rows["position"], rows["value"], step="mid", color=colour, alpha=0.25, linewidth=0)
        else:
            points = rows.pivot_table(index="position", columns="coordinate", values="value")
            axis.scatter(points["0"], points["1"], s=3, color=colour, alpha=0.5, linewidths=0)
    if (shown["axis"] == "score").all():
        axis.set_ylim(bottom=0)
    axis.tick_params(labelsize=7)


def _legend(shown: pd.DataFrame) -> list[Line2D]:
    handles = []
    for group in sorted(shown["group"].unique()):
        attribute, _, label = str(group).partition(",")
        name = f"A = {attribute}" + (f", Y = {label}" if label else "")
        handles.append(Line2D([], [], color=COLOURS[attribute], linestyle=DASHES[label], label=name))
    return handles
