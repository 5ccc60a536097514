"""A Gibbs posterior over a 2-D W before and after the deletion of one record, as heat maps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh

from wassdp.accounting.rounding import rounded as bound
from wassdp.report import style
from wassdp.report.frames import require, titled
from wassdp.report.gibbs import DATASET, LOSS, one_per
from wassdp.report.kinds import Drawing, Figure
from wassdp.tangent.losses import TITLES

BETA, POINTS = "parameters.inverse_temperature", "parameters.points"
SHOWN = 12.0  # nats below the mode, after which a posterior is drawn as nothing


class GibbsDeletion(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    The Gibbs posterior of *Tangent Differential Privacy* (Ying 2025), (3.1), over a 2-D W before and after the
    deletion of the record that changes it most (found among all records, exactly), and the change of log q; the
    circle is where it is largest. **Exact**: W is a finite grid. "Stated" is Theorem 3.2's 2βR to first order (it
    speaks of this one data set), "exponential ε" the **proven** budget of the exponential mechanism (replace one,
    every data set; it holds for a deletion too). Colours end 12 nats below the mode. These are public data: nothing
    is released here.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One row per run: log q before, log q after, and their difference with the largest marked.

        Raises:
            ValueError: a column or a posterior is missing, or two runs have one β.
        """
        words = ["log_ratio", "first_order", "stated", "epsilon_exponential", "records"]
        require(runs, [BETA, POINTS, LOSS, DATASET, *words])
        one_per(runs, BETA)
        parts = []
        figure, axes = style.panels(len(runs), 3)
        figure.set_size_inches(style.WIDEST, 2.7 * len(runs))
        for place, (_, run) in enumerate(runs.sort_values(BETA).iterrows()):
            table = _table(run, history)
            row = axes[3 * place : 3 * place + 3]
            maps = table.assign(change=table["log_q_deleted"] - table["log_q"])
            top = float(maps[["log_q", "log_q_deleted"]].max().max())
            for axis, name, what in zip(
                row, ("log_q", "log_q_deleted"), ("before", "one record deleted"), strict=False
            ):
                image = _map(axis, maps, name, cmap="viridis", vmin=top - SHOWN, vmax=top)
                axis.set_title(rf"$\log\,q$, {what}")
            figure.colorbar(image, ax=row[:2], label="nats", shrink=0.75)
            worst = maps.iloc[maps["change"].abs().argmax()]
            limit = abs(worst["change"])
            image = _map(row[2], maps, "change", cmap="RdBu_r", vmin=-limit, vmax=limit)
            ring: style.Look = {"ms": 8, "mfc": "none", "mec": style.BLACK, "mew": 1.4, "clip_on": False}
            row[2].plot(worst["first_weight"], worst["second_weight"], "o", **ring)
            figure.colorbar(image, ax=row[2], label="nats", shrink=0.75)
            row[2].set_title(
                rf"$\log(\tilde q/q)$, largest {run['log_ratio']:.3g}" + "\n"
                rf"stated $4\beta R/N$ = {run['stated']:.3g}," + "\n"
                rf"exponential $\varepsilon$ = {bound(run['epsilon_exponential'], 'upper', digits=3)}",
                fontsize=8,
            )
            row[0].set_ylabel(
                f"{titled(run[DATASET])}, {TITLES[run[LOSS]]} loss\n"
                rf"$\beta$ = {run[BETA]:g}, N = {run['records']:g}" + "\nsecond weight"
            )
            for axis in row:
                axis.set_aspect("equal")
                axis.grid(visible=False)
                axis.set_xlabel("first weight" if place == len(runs) - 1 else "")
            parts.append(table)
        return figure, pd.concat(parts, ignore_index=True)


def _table(run: pd.Series[Any], history: pd.DataFrame) -> pd.DataFrame:
    """A row for each point of the grid, the first weight's values one after the other: log q before and after."""
    points = history[(history["run"] == run["run"]) & (history["axis"] == "weight")]
    line = points.loc[points["metric"] == "log_q/before/0", "position"].to_numpy(dtype=float)
    first, second = np.meshgrid(line, line, indexing="ij")
    table = pd.DataFrame({"beta": run[BETA], "first_weight": first.ravel(), "second_weight": second.ravel()})
    for name, column in (("before", "log_q"), ("after", "log_q_deleted")):
        metrics = [f"log_q/{name}/{row}" for row in range(int(run[POINTS]))]
        rows = [points.loc[points["metric"] == metric, "value"] for metric in metrics]
        if {len(values) for values in rows} != {len(metrics)}:
            raise ValueError(f"history: has no whole log_q/{name} for run {run['run']}")
        table[column] = np.concatenate(rows)
    return table


def _map(axis: Axes, table: pd.DataFrame, name: str, **scale: Any) -> QuadMesh:
    values = table.pivot(index="second_weight", columns="first_weight", values=name)
    return axis.pcolormesh(values.columns, values.index, values, rasterized=True, **scale)
