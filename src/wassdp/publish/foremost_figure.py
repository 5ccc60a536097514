"""The claims that matter most in one picture: claimed, attacked, proven and honest budgets on one logarithmic axis."""

from __future__ import annotations

import math
import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullFormatter

from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import rounded
from wassdp.publish.foremost import percent
from wassdp.report import called, style

STEM = "claims"
ROW = 0.46  # inches
WIDTH = 8.0
TEXT = 7.5  # points
ABOVE, BELOW = 7.5, -12.5  # of a mark, where its figure stands; points
NEAR = 8.0  # so many times apart, figures of two marks stand to the sides of them
# Shapes and fillings differ as well as colours.
LOOKS: dict[str, dict[str, Any]] = {
    "claimed": {"marker": "o", "mfc": "white", "mec": style.RED, "mew": 1.6, "ms": 8.5, "ls": ""},
    "attacked": {"marker": 5, "color": style.LOWER, "ms": 8, "ls": ""},
    "attacked_family": {"marker": 5, "mfc": "white", "mec": style.LOWER, "mew": 1.2, "ms": 8, "ls": ""},
    "proven": {"marker": "|", "color": style.UPPER, "mew": 2.6, "ms": 12, "ls": ""},
    "honest": {"marker": "s", "color": style.UPPER, "ms": 4.8, "ls": ""},
}
LEGEND = {
    "claimed": "claimed by the paper, or by its formula where nothing is printed",
    "attacked": "attacked, assuming nothing: at least this",
    "attacked_family": "attacked, by a family: at least this",
    "proven": "proven for a run as the paper says: at most this",
    "honest": "proven for honest noise, with its accuracy",
}
SHORT = "#BBBBBB"  # between a claim and what is proven


def draw(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The picture and its data, a row per claim from the top.

    Args:
        table: from `wassdp.publish.foremost.table`.
    """
    values = table[list(LOOKS)].to_numpy(dtype=float)
    finite = values[np.isfinite(values) & (values > 0)]
    left, right = float(finite.min()) / 12, float(finite.max()) * 60
    with style.context():
        figure = Figure(figsize=(WIDTH, ROW * len(table) + 1.25), layout="constrained")
        axis = figure.subplots()
        axis.set_xscale("log")
        axis.set_xlim(left, right)
        for place, (_, row) in enumerate(table.iterrows()):
            _claim(axis, place, row, edge=right / 3)
        _axes(axis, table)
        shown = {name: table[name].astype(float) for name in LOOKS}
        present = [name for name in LOOKS if (shown[name].notna() & (shown[name] > 0)).any()]
        style.legend_below(figure, [(LEGEND[name], LOOKS[name]) for name in present], columns=2)
    return figure, table


def _claim(axis: Axes, place: int, row: pd.Series[Any], *, edge: float) -> None:
    """The marks of one claim; what has no finite value stands at the right edge."""
    values = {name: float(row[name]) for name in LOOKS}
    at = {name: edge if math.isinf(value) else value for name, value in values.items() if value > 0}
    axis.plot([at["claimed"], at["proven"]], [place, place], color=SHORT, lw=1.2, zorder=1)
    for name, value in at.items():
        look = {**LOOKS[name], **({"marker": 9, "ms": 9} if math.isinf(values[name]) else {})}
        axis.plot(value, place, zorder=3, clip_on=False, **look)
    near = max(at["claimed"], at["proven"]) < NEAR * min(at["claimed"], at["proven"])
    side = ("right", "left") if at["claimed"] < at["proven"] else ("left", "right")
    claimed, proven = side if near else ("center", "center")
    _say(axis, at["claimed"], place, _short(values["claimed"], "published"), style.RED, ABOVE, claimed)
    _say(axis, at["proven"], place, _short(values["proven"], "upper"), style.UPPER, ABOVE, proven)
    if "honest" in at:
        accuracy = "" if math.isnan(row["honest_accuracy"]) else f": {percent(row['honest_accuracy'])} %"
        _say(axis, at["honest"], place, f"{_short(values['honest'], 'upper')}{accuracy}", style.UPPER, BELOW, "center")


def _short(value: float, kind: Kind) -> str:
    r"""As many digits as in the table, a power of ten as such.

    >>> _short(4.8013e8, "upper"), _short(0.09998, "upper"), _short(math.inf, "upper")
    ('$4.802\\times10^{8}$', '0.09998', 'no finite ε')
    """
    mantissa, _, exponent = rounded(value, kind, infinite="no finite ε").partition("e+")
    return f"${mantissa}\\times10^{{{int(exponent)}}}$" if exponent else mantissa


def _say(axis: Axes, value: float, place: int, text: str, colour: str, above: float, side: str) -> None:
    axis.annotate(
        text, (value, place), (0, above), textcoords="offset points", ha=side, fontsize=TEXT, color=colour, zorder=5
    )


def _axes(axis: Axes, table: pd.DataFrame) -> None:
    names = [
        f"{row['place']}. {textwrap.fill(row['title'], 30)}\n{called.title(row['paper'])}"
        for _, row in table.iterrows()
    ]
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.35, -0.75)
    axis.tick_params(axis="y", labelsize=TEXT, length=0)
    axis.xaxis.set_major_locator(LogLocator(numticks=14))
    axis.xaxis.set_major_formatter(LogFormatterMathtext(labelOnlyBase=True))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel(r"$\varepsilon$ of one run")
    axis.grid(axis="y", visible=False)
