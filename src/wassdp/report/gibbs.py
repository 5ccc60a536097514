"""What figures and tables of Gibbs posteriors share: names of losses, and what says that chains have not converged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wassdp.report import style
from wassdp.report.frames import curves, require, titled
from wassdp.tangent.losses import TITLES

DATASET, LOSS = "parameters.problem.dataset", "parameters.loss"
BETAS = "inverse_temperature"  # axis of curves over β
ACROSS = 3
"""Losses in a row."""
NOT_CONVERGED = "not converged"


def one_per(runs: pd.DataFrame, column: str) -> None:
    """Raise unless ``column`` tells all runs apart.

    Raises:
        ValueError: the column is missing, or has a value twice.
    """
    require(runs, ["run", column])
    twice = runs.loc[runs[column].duplicated(), column]
    if not twice.empty:
        raise ValueError(f"runs: {column} = {twice.iloc[0]} stands there twice")


@dataclass(frozen=True)
class Column:
    """The two panels of one loss, both over β, and its run.

    Args:
        run: one row of the table of runs.
        history: all curves.
        above, below: the panels.
    """

    run: pd.DataFrame
    history: pd.DataFrame
    above: Axes
    below: Axes

    def curve(self, metric: str) -> pd.Series[float]:
        """The values of one metric by β.

        Raises:
            ValueError: the run has no such curve.
        """
        values: pd.Series[float] = curves(self.run, self.history, metric, BETAS).set_index(BETAS)["value"]
        return values

    def has(self, metric: str) -> bool:
        """Whether the run has this curve."""
        of_run = self.history["run"] == self.run["run"].iloc[0]
        return bool((of_run & (self.history["metric"] == metric)).any())

    def table(self, line: str, values: pd.Series[float]) -> pd.DataFrame:
        """One drawn line as rows: loss, line, beta, value."""
        loss = self.run[LOSS].iloc[0]
        return pd.DataFrame({"loss": loss, "line": line, "beta": values.index, "value": values.to_numpy()})


def columns_over_beta(
    runs: pd.DataFrame, history: pd.DataFrame, lines: Mapping[str, tuple[str, style.Look]]
) -> tuple[Figure, list[Column]]:
    """A figure of two rows, a column for each loss in the order of the configuration, and its legend.

    Args:
        runs: rows of the table of runs, one for each loss.
        history: all curves.
        lines: label and look of each line, by name.

    Raises:
        ValueError: a column of the table is missing, or a loss has two runs.
    """
    require(runs, [LOSS, DATASET, "records"])
    one_per(runs, LOSS)
    losses = list(runs.groupby(LOSS, sort=False))
    across = min(ACROSS, len(losses))
    figure, axes = style.panels(2 * -(-len(losses) // across), across)
    figure.set_size_inches(max(6.5, style.WIDEST * across / ACROSS), style.PANEL[1] * len(axes) / across)
    for axis in axes:
        axis.set_visible(False)
    columns = []
    for place, (loss, rows) in enumerate(losses):
        first = 2 * across * (place // across) + place % across
        column = Column(rows, history, axes[first], axes[first + across])
        column.above.set_visible(True)
        column.below.set_visible(True)
        # The last panel of a column has the ticks of all that are above it.
        column.below.tick_params(labelbottom=True)
        column.above.set_title(
            f"{TITLES[str(loss)]} loss\n{titled(rows[DATASET].iloc[0])}, N = {rows['records'].iloc[0]:,.0f}"
        )
        column.above.set_yscale("log")
        column.below.set_xscale("log")
        column.below.set_xlabel(r"inverse temperature $\beta$")
        columns.append(column)
    style.legend_below(figure, [(label, {"markersize": 3, **look}) for label, look in lines.values()], columns=2)
    return figure, columns


def mark_not_converged(axis: Axes) -> None:
    """Say across a panel that its chains have not converged."""
    box = {"facecolor": "white", "edgecolor": style.RED, "boxstyle": "round,pad=0.35"}
    place: style.Look = {"transform": axis.transAxes, "ha": "center", "va": "top", "zorder": 10, "bbox": box}
    axis.text(0.5, 0.93, NOT_CONVERGED.upper(), color=style.RED, fontsize=9, fontweight="bold", **place)
