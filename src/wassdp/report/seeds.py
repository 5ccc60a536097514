"""Runs that differ in their seed alone, drawn by seaborn: their mean, and the range of all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes


def span(values: pd.Series[float]) -> tuple[float, float]:
    """The smallest and the largest of some values, which assumes nothing about their law.

    Both as `seaborn`'s ``errorbar``: never on the wrong side of the mean, which rounding may put past equal values, and
    which Matplotlib then refuses to draw bars from.

    >>> span(pd.Series([2.0, 1.0, 3.0]))
    (1.0, 3.0)
    """
    mean = float(values.mean())
    return min(float(values.min()), mean), max(float(values.max()), mean)


def summarised(
    rows: pd.DataFrame,
    keys: Sequence[str],
    value: str,
    names: tuple[str, str, str] = ("mean", "least", "most"),
    **others: Any,
) -> pd.DataFrame:
    """A row for each setting: mean, least and most of a column over the seeds, missing where a row lacks it.

    Args:
        rows: one for each seed of each setting.
        keys: columns that tell the settings apart; settings stay in their order.
        value: the column.
        names: what its mean, least and most are called.
        others: further columns, after these, each a pair of a column and how pandas aggregates it; a mean is missing
            in the same way.

    >>> rows = pd.DataFrame({"line": ["a", "a", "b"], "seed": [0, 1, 0], "loss": [1.0, 3.0, 5.0]})
    >>> summarised(rows, ["line"], "loss", seeds=("seed", "nunique")).to_numpy().tolist()
    [['a', 2.0, 1.0, 3.0, 2], ['b', 5.0, 5.0, 5.0, 1]]
    >>> summarised(rows.assign(loss=[1.0, None, 5.0]), ["line"], "loss", seeds=("seed", "nunique"))["mean"].tolist()
    [nan, 5.0]
    """
    spread = {name: (value, function) for name, function in zip(names, ("mean", "min", "max"), strict=True)}
    groups = rows.groupby(list(keys), sort=False)
    table = groups.agg(**spread, **others)
    # pandas leaves out what is missing: its mean would be one of fewer seeds than are counted beside it.
    for name, (column, how) in (spread | others).items():
        if name in names or how == "mean":
            table.loc[groups[column].count() < groups.size(), name] = math.nan
    return table.reset_index()


def ranged(name: str) -> tuple[str, str, str]:
    """The names of mean, least and most of ``name`` where a table has the ranges of several columns.

    >>> ranged("accuracy")
    ('accuracy', 'accuracy_least', 'accuracy_most')
    """
    return name, f"{name}_least", f"{name}_most"


def said(runs: pd.DataFrame, data: pd.DataFrame) -> str:
    """How many seeds a figure's settings have, in words; empty where its runs know no setting.

    Args:
        runs: rows of the table of runs that it was drawn from.
        data: what it shows; a column ``seeds`` counts them.

    >>> said(pd.DataFrame(), pd.DataFrame({"seeds": [1, 3, None]}))
    '1 to 3 seeds a setting'
    >>> said(pd.DataFrame({"label": ["a", "b"], "seed": [0, 0]}), pd.DataFrame())
    'one seed'
    >>> runs = pd.DataFrame({"run": ["x", "y"], "label": ["a", "a"], "seed": [0, 1]})
    >>> said(runs, pd.DataFrame({"run": ["x"], "seed": [0]}))
    'one of 2 seeds'
    """
    if "seeds" in data:
        return _counted(pd.to_numeric(data["seeds"]).dropna())
    if not {"label", "seed"} <= set(runs):
        return ""
    there = runs.groupby("label")["seed"].nunique()
    if not {"run", "seed"} <= set(data):
        return _counted(there)
    shown = runs[runs["run"].isin(data["run"])].groupby("label")["seed"].nunique()
    several = there.reindex(shown.index)
    return f"one of {_counted(several)}" if (shown < several).any() and shown.max() == 1 else _counted(shown)


def _counted(counts: pd.Series[int]) -> str:
    if counts.empty:
        return ""
    least, most = int(counts.min()), int(counts.max())
    if least == most:
        return "one seed" if most == 1 else f"{most} seeds"
    return f"{least} to {most} seeds a setting"


def lengths(table: pd.DataFrame, name: str) -> list[pd.Series[float]]:
    """How far the bars of a column reach below and above its means, in a table with its `ranged` columns.

    Never below zero, where rounding puts a mean past equal values.

    >>> table = pd.DataFrame({"loss": [0.1 + 0.2], "loss_least": [0.1], "loss_most": [0.3]})
    >>> [float(length.iloc[0]) for length in lengths(table, "loss")]
    [0.20000000000000004, 0.0]
    """
    mean, least, most = (table[column] for column in ranged(name))
    return [(mean - least).clip(lower=0), (most - mean).clip(lower=0)]


def band(
    axis: Axes,
    points: pd.DataFrame,
    x: str,
    y: str,
    *,
    alpha: float = 0.2,
    through: Literal["mean", "max", "min"] = "mean",
    **look: Any,
) -> None:
    """A line through the means at each ``x``, or through the largest or smallest, and a band over the range.

    A place where a point is not finite, such as an unbounded budget, is left out.

    Args:
        axis: with a linear vertical scale: seaborn would average logarithms on a logarithmic one.
        points: one row per seed and place.
        x: column of places.
        y: column of values.
        alpha: opacity of the band; 0: none.
        through: what of the seeds the line shows; of proven bounds the one that holds for all, never the mean.
        look: of the line, as Matplotlib has it.

    Raises:
        ValueError: the vertical scale is not linear.
    """
    error: dict[str, Any] = {"errorbar": None}
    if alpha:
        error = {"errorbar": span, "err_style": "band", "err_kws": {"alpha": alpha, "linewidth": 0}}
    _line(axis, points, x, y, look | error | {"estimator": through})


def bars(axis: Axes, points: pd.DataFrame, x: str, y: str, *, cap: float = 2.5, **look: Any) -> None:
    """As `band`, with a bar over each range; ``cap`` is its ends' half width in points."""
    error = {"errorbar": span, "err_style": "bars", "err_kws": {"capsize": cap}}
    _line(axis, points, x, y, look | error | {"estimator": "mean"})


def _line(axis: Axes, points: pd.DataFrame, x: str, y: str, look: dict[str, Any]) -> None:
    if axis.get_yscale() != "linear":
        raise ValueError(f"axis = {axis.get_yscale()}: must be linear while means are drawn; set its scale afterwards")
    # seaborn's marks have white edges, which small ones lose themselves in.
    look = {"markeredgecolor": look.get("color"), "markeredgewidth": 1.0} | look
    unbounded = points.loc[~np.isfinite(points[y].to_numpy(dtype=float)), x]
    sns.lineplot(points[~points[x].isin(unbounded)], x=x, y=y, sort=True, legend=False, ax=axis, **look)
