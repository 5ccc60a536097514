"""Confusion matrices: which class the final model takes the test examples of each class for, at chosen budgets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.report import called, style
from wassdp.report.frames import titled
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.predictions import class_names, counts, shares
from wassdp.report.settings import DATASET, at_budgets, budget_name, heading
from wassdp.report.summary import Lined, lined

CELL = 0.3  # inches


class ConfusionMatrix(Lined, Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Which class the final model takes the test examples of each class for: each row is one class and sums to 100 %,
    mean over the seeds. {% if budgets -%}
    Budgets {% for budget in budgets %}{{ "%g" | format(budget) }}{{ ", " if not loop.last }}{% endfor %}
    {%- else %}The least and the largest budget{% endif %} by the accountant ``{{ accountant }}``{% if without %}, and
    the same model trained without clipping and noise, where there is one{% endif %}. Right answers are blue, mistakes
    orange, each on a scale
    of its own that all panels share; an empty cell is below 0.05 %. The matrices are evaluation; they are no part of
    what the budget covers.
    """

    budgets: tuple[float, ...] = Field(
        default=(), description="epsilons to show, to two decimals, rounded up; empty: the least and the largest"
    )
    without: bool = Field(default=True, description="show the runs without privacy too, where there are any")
    columns: int = Field(default=2, ge=1, description="panels in a row")

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Each row of a matrix in per cent of its class's test examples: mean over the seeds.

        Raises:
            ValueError: a column is missing, a run recorded no predictions, a budget is not there, or the budgets do not
                belong together.
        """
        named = self._shown(lined(runs, self))
        groups = [list(rows.groupby("setting", sort=False)) for _, rows in named.groupby([DATASET, "line"])]
        columns = min(self.columns, max(map(len, groups)))
        # The settings of a dataset and line stand beside each other: each line of panels holds those of one only.
        grid = [group[first : first + columns] for group in groups for first in range(0, len(group), columns)]
        tables = [_table(rows, history) for line in grid for _, rows in line]
        wrong = [table.loc[table["class"] != table["predicted"], "percent"].max() for table in tables]
        most = np.nanmax([1.0, *wrong])
        size = max(1.8, CELL * max(table["class"].nunique() for table in tables))
        figure, axes = style.panels(len(grid), columns, share_x=False)
        figure.set_size_inches(columns * (size + 0.9), len(grid) * (size + 1.2) + 0.3)
        used = [axes[columns * down + across] for down, line in enumerate(grid) for across in range(len(line))]
        for axis in set(axes) - set(used):
            axis.set_visible(False)
        for axis, table in zip(used, tables, strict=True):
            _panel(axis, table, most)
            first = table.iloc[0]
            axis.set_title(
                f"{titled(first['dataset'])}, {called.words(first['line'])}\n{budget_name(first['epsilon'])}"
            )
        style.over(figure, heading(runs, self.accountant))
        return figure, pd.concat(tables, ignore_index=True)

    def _shown(self, named: pd.DataFrame) -> pd.DataFrame:
        """The runs to show, per dataset and line; by default those of the least and of the largest finite budget."""
        if self.budgets:
            private = at_budgets(named, self.budgets)
        else:
            finite = named[np.isfinite(named["level"])]
            levels = finite.groupby([DATASET, "line"])["level"]
            private = finite[finite["level"].eq(levels.transform("min")) | finite["level"].eq(levels.transform("max"))]
        without = named[named["level"].isna() & self.without]
        if private.empty and without.empty:
            raise ValueError("runs: none has a finite budget, and none without privacy is to be shown")
        return pd.concat([private, without])


def _table(rows: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of one setting's matrix, the mean over its runs."""
    percents = 100 * np.mean([shares(matrix) for matrix in counts(rows, history).values()], axis=0)
    first = rows.iloc[0]
    names = class_names(first[DATASET], len(percents))
    about = {"dataset": first[DATASET], "line": first["line"], "setting": first["setting"], "epsilon": first["level"]}
    about["seeds"] = rows["seed"].nunique()
    cells = {"class": np.repeat(names, len(names)), "predicted": names * len(names), "percent": percents.ravel()}
    return pd.DataFrame(about | cells)


def _panel(axis: Axes, table: pd.DataFrame, most: float) -> None:
    names = list(table["class"].unique())
    matrix = table["percent"].to_numpy().reshape(len(names), -1)
    # A class without test examples is white, as a share of zero is; a dash tells it.
    shares = pd.DataFrame(np.nan_to_num(matrix), index=names, columns=names)
    texts = np.vectorize(_text, otypes=[str])(matrix)
    diagonal = np.eye(len(matrix), dtype=bool)
    look: dict[str, Any] = {"annot": texts, "fmt": "", "annot_kws": {"fontsize": 7.5, "color": style.BLACK}}
    # Right and wrong have a scale each: a mistake of two per cent is to be seen beside ninety-eight that are right.
    for shown, colour, top in ((diagonal, style.BLUE, 100.0), (~diagonal, style.RED, most)):
        shades = sns.blend_palette(["#FFFFFF", colour], as_cmap=True)
        scale = {"cmap": shades, "vmin": 0, "vmax": 1.25 * top}
        sns.heatmap(shares, mask=~shown, square=True, cbar=False, ax=axis, **scale, **look)
    axis.tick_params(length=0, labelsize=7.5)
    axis.tick_params(axis="x", labelrotation=90 if max(map(len, names)) > 2 else 0)
    axis.tick_params(axis="y", labelrotation=0)
    axis.set(xlabel="predicted class (%)", ylabel="class")


def _text(percent: float) -> str:
    """A share as its cell shows it; nothing where a white cell says it.

    >>> _text(0.04), _text(1.26), _text(98.2), _text(float("nan"))
    ('', '1.3', '98', '–')
    """
    if np.isnan(percent):
        return "–"
    return "" if percent < 0.05 else f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}"
