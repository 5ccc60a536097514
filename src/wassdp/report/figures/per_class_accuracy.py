"""Accuracy of each class at each budget: one panel per dataset and model, one row per class, so that one sees whom
privacy costs most.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.report import called, seeds, style
from wassdp.report.frames import titled
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.predictions import class_names, counts, shares
from wassdp.report.settings import DATASET, budget_name, colours, heading
from wassdp.report.summary import Lined, lined


class PerClassAccuracy(Lined, Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Test accuracy of each class at the end of training, at each budget by the accountant ``{{ accountant }}``: mean
    over the seeds (dot) and range from the smallest to the largest (bar), the mildest setting on top. *Cost*, on
    the right: percentage points between the mildest setting (without privacy, where there is one) and the least
    budget. {% if order == "class" %}Classes stand in their own order. {% else %}The classes that lose most stand on
    top. {% endif %}Accuracies are evaluation; they are no part of what the budget covers.
    """

    order: Literal["cost", "class"] = Field(
        default="cost",
        description="classes by what the least budget costs them, against the mildest setting, or by number",
    )

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds, with a bar from the smallest to the largest.

        Raises:
            ValueError: a column is missing, a run recorded no predictions, or the budgets do not belong together.
        """
        named = lined(runs, self)
        points = _points(named, history)
        data = _data(points)
        shades = colours(named)
        panels = list(data.groupby(["dataset", "line"], sort=False))
        figure, axes = style.wide_panels(len(panels))
        heights = []
        for axis, ((dataset, line), panel) in zip(axes, panels, strict=True):
            of_seeds = points[(points["dataset"] == dataset) & (points["line"] == line)]
            heights.append(_panel(axis, panel, of_seeds, shades, self))
            axis.set(title=f"{titled(dataset)}, {called.words(str(line))}", xlabel="test accuracy of the class (%)")
        rows = round(figure.get_figheight() / (1.3 * style.PANEL[1]))
        figure.set_figheight(rows * (max(heights) + 0.7) + 0.3)
        mark: style.Look = {"marker": "o", "markersize": 4, "linewidth": 1.2}
        style.legend_right(figure, ((name, {"color": shades[name], **mark}) for name in reversed(shades)))
        style.over(figure, heading(runs, self.accountant))
        return figure, data


def _points(named: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
    """A row for each run and class."""
    parts = []
    known = named.rename(columns={DATASET: "dataset", "level": "epsilon"}).set_index("run")
    for run, matrix in counts(named, history).items():
        about = known.loc[run, ["dataset", "line", "setting", "epsilon"]]
        table = pd.DataFrame({"class": range(len(matrix)), "name": class_names(str(about["dataset"]), len(matrix))})
        table["share"] = 100 * np.diag(shares(matrix))
        parts.append(table.assign(**about, examples=matrix.sum(axis=1).astype(int)))
    return pd.concat(parts, ignore_index=True).astype({"epsilon": float})


def _data(points: pd.DataFrame) -> pd.DataFrame:
    keys, names = ["dataset", "line", "setting", "class"], seeds.ranged("accuracy")
    about = {name: (name, "first") for name in ("name", "epsilon", "examples")}
    table = seeds.summarised(points, keys, "share", names, **about, seeds=("share", "size"))
    table = table[[*keys, "name", "epsilon", *names, "examples", "seeds"]]
    return table.sort_values(["dataset", "line", "epsilon", "class"], kind="stable", ignore_index=True)


def _panel(
    axis: Axes, panel: pd.DataFrame, points: pd.DataFrame, shades: Mapping[str, str], options: PerClassAccuracy
) -> float:
    """Draw one panel; the height in inches that it wants."""
    settings = panel.drop_duplicates("setting").set_index("setting")["epsilon"]
    cost = _cost(panel)
    classes = panel.drop_duplicates("class").set_index("class")["name"]
    order = list(cost.sort_values(ascending=False, kind="stable").index if options.order == "cost" else classes.index)
    for row in range(0, len(order), 2):
        axis.axhspan(row - 0.5, row + 0.5, color="#F3F3F3", linewidth=0, zorder=0)
    by_setting = {
        "hue": "setting",
        "hue_order": list(settings.index[::-1]),  # the mildest on top
        "palette": {setting: shades[budget_name(level)] for setting, level in settings.items()},
        "dodge": 0.8 * (1 - 1 / len(settings)),
    }
    by_class = {"x": "share", "y": "name", "order": list(classes[order]), "orient": "h"}
    over_seeds = {"estimator": "mean", "errorbar": seeds.span, "err_kws": {"linewidth": 1.2}}
    mark = {"linestyle": "none", "markersize": 4, "markeredgewidth": 0}
    sns.pointplot(points, legend=False, ax=axis, **by_class, **by_setting, **over_seeds, **mark)
    axis.set_ylabel("class")
    axis.grid(axis="y", visible=False)
    axis.tick_params(axis="y", length=0)
    if len(settings) > 1:
        for row, lost in enumerate(cost[order]):
            axis.text(1.02, row, _signed(-lost), transform=axis.get_yaxis_transform(), va="center", fontsize=7.5)
        over: style.Look = {"textcoords": "offset points", "xytext": (0, 3), "va": "bottom", "fontsize": 7.5}
        axis.annotate("cost", (1.02, 1.0), xycoords=axis.transAxes, **over)
    return len(order) * (0.12 + 0.068 * len(settings))


def _cost(panel: pd.DataFrame) -> pd.Series[float]:
    """Percentage points that each class loses from the mildest setting to that of least epsilon."""
    levels = panel["epsilon"].fillna(np.inf)
    by_class = panel.set_index("class")
    ends = [by_class.loc[(levels == end).to_numpy(), "accuracy"] for end in (levels.max(), levels.min())]
    lost: pd.Series[float] = ends[0] - ends[1]
    return lost


def _signed(points: float) -> str:
    """Percentage points with their sign; none for what rounds to zero.

    >>> _signed(-3.14), _signed(-0.04)
    ('−3.1', '0.0')
    """
    return "0.0" if abs(points) < 0.05 else f"{points:+.1f}".replace("-", "−")
