"""A Gibbs posterior over a 2-D W before and after the deletion of one record, as heat maps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd

from wassdp.accounting.rounding import rounded as bound
from wassdp.report import style
from wassdp.report.frames import require
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

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One row per run: log q before, log q after, and their difference with the largest marked.

        Raises:
            ValueError: a column or a posterior is missing, or two runs have one β.
        """
        require(
            runs, [BETA, POINTS, LOSS, DATASET, "log_ratio", "first_order", "stated", "epsilon_exponential", "records"]
        )
        one_per(runs, BETA)
        parts = []
        with style.context():
            figure, axes = style.panels(len(runs), 3)
            figure.set_size_inches(3.6 * 3, 3.3 * len(runs))
            for place, (_, run) in enumerate(runs.sort_values(BETA).iterrows()):
                before, after, line = (
                    _map(history, run["run"], name, int(run[POINTS])) for name in ("before", "after", "")
                )
                row = axes[3 * place : 3 * place + 3]
                top = float(max(before.max(), after.max()))
                for axis, values, name in zip(row, (before, after), ("before", "one record deleted"), strict=False):
                    image = axis.pcolormesh(
                        line, line, values.T, cmap="viridis", vmin=top - SHOWN, vmax=top, rasterized=True
                    )
                    axis.set_title(rf"$\log\,q$, {name}")
                figure.colorbar(image, ax=row[:2], label="nats", shrink=0.75)
                change = after - before
                limit = float(np.abs(change).max())
                image = row[2].pcolormesh(line, line, change.T, cmap="RdBu_r", vmin=-limit, vmax=limit, rasterized=True)
                worst = np.unravel_index(np.argmax(np.abs(change)), change.shape)
                row[2].plot(
                    line[worst[0]], line[worst[1]], "o", ms=8, mfc="none", mec=style.BLACK, mew=1.4, clip_on=False
                )
                figure.colorbar(image, ax=row[2], label="nats", shrink=0.75)
                row[2].set_title(
                    rf"$\log(\tilde q/q)$, largest {run['log_ratio']:.3g}" + "\n"
                    rf"(stated $4\beta R/N$ = {run['stated']:.3g}, "
                    rf"exponential $\varepsilon$ = {bound(run['epsilon_exponential'], 'upper', digits=3)})",
                    fontsize=8,
                )
                row[0].set_ylabel(
                    f"{run[DATASET]}, {TITLES[run[LOSS]]} loss\n"
                    rf"$\beta$ = {run[BETA]:g}, N = {run['records']:g}" + "\nsecond weight"
                )
                for axis in row:
                    axis.set_aspect("equal")
                    axis.grid(visible=False)
                    axis.set_xlabel("first weight" if place == len(runs) - 1 else "")
                parts.append(_table(run, line, before, after))
        return figure, pd.concat(parts, ignore_index=True)


def _map(history: pd.DataFrame, run: str, name: str, points: int) -> np.ndarray:
    """The values of log q by first and second weight; for the empty name, the weights themselves."""
    own = history[(history["run"] == run) & (history["axis"] == "weight")]
    if not name:
        return np.asarray(own.loc[own["metric"] == "log_q/before/0", "position"], dtype=float)
    rows = [own.loc[own["metric"] == f"log_q/{name}/{row}", "value"].to_numpy(dtype=float) for row in range(points)]
    if {len(row) for row in rows} != {points}:
        raise ValueError(f"history: has no whole log_q/{name} for run {run}")
    return np.stack(rows)


def _table(run: pd.Series[Any], line: np.ndarray, before: np.ndarray, after: np.ndarray) -> pd.DataFrame:
    first, second = np.meshgrid(line, line, indexing="ij")
    return pd.DataFrame(
        {
            "beta": run[BETA],
            "first_weight": first.ravel(),
            "second_weight": second.ravel(),
            "log_q": before.ravel(),
            "log_q_deleted": after.ravel(),
        }
    )
