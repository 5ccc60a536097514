"""What is stated, what a tangent says, what is exact and what is proven about one changed record, over β."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from wassdp.report import style
from wassdp.report.gibbs import ACROSS, columns_over_beta
from wassdp.report.kinds import Drawing, Figure

LINES: dict[str, tuple[str, style.Look]] = {
    "stated/deletion": (
        r"published: Theorem 3.2 to first order, $2\beta R\cdot 2/N$",
        {"color": style.RED, "linestyle": style.DASHES[1]},
    ),
    "epsilon/exponential": (
        r"upper bound: exponential mechanism's $\varepsilon$, every data set",
        {"color": style.UPPER},
    ),
    "log_ratio/replacement": ("exact here: worst replacement", {"color": style.SKY, "marker": "o"}),
    "log_ratio/deletion": ("exact here: worst deletion", {"color": style.BROWN, "marker": "s"}),
    "first_order/deletion": (
        r"first order here: exact tangent norm $\cdot\,2/N$",
        {"color": style.INDIGO, "linestyle": style.DASHES[2]},
    ),
    "log_ratio/move": ("exact here: worst small move of one record", {"color": style.PURPLE, "marker": "^"}),
    "first_order/move": (
        "first order here: exact tangent norm times the move",
        {"color": style.PURPLE, "linestyle": style.DASHES[3]},
    ),
}


class TangentOverBeta(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    One changed record and a Gibbs posterior on a finite grid (*Tangent Differential Privacy*, Ying 2025), over β.
    **Published**: Theorem 3.2's bound 2βR times ‖p̃ - p‖ = 2/N, a statement to first order about *this* data set,
    not (ε, δ)-DP. **Upper bound**: the exponential mechanism's ε = 2β range/N (replace one, every data set, no δ).
    **Exact** for these data: the largest |log q̃/q| over all deletions, over all replacements of one record by
    another of this set, and over small moves of each record (its steepest direction, both ways, and a random one).
    First-order figures: the exact operator norm of the tangent map times the size of the change, 2/N or that of the
    move; a real change may exceed them. Below: each as a share of the proven ε.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel per loss, log-ratios in nats; below it all of them as shares of the exponential mechanism's ε.

        Raises:
            ValueError: a column or a curve is missing, or a loss has two runs.
        """
        parts = []
        figure, columns = columns_over_beta(runs, history, LINES)
        for column in columns:
            proven = column.curve("epsilon/exponential")
            for metric, (_, look) in LINES.items():
                if metric.endswith("/move") and not column.has(metric):  # the loss has jumps
                    continue
                ratios = column.curve(metric)
                column.above.plot(ratios.index, ratios, markersize=3, **look)
                column.below.plot(ratios.index, ratios / proven, markersize=3, **look)
                parts.append(column.table(metric, ratios))
            column.below.set_ylim(0, 2.1)
        for column in columns[::ACROSS]:
            column.above.set_ylabel(r"largest $|\log(\tilde q/q)|$, nats")
            column.below.set_ylabel(r"share of the proven $\varepsilon$")
        return figure, pd.concat(parts, ignore_index=True).rename(columns={"value": "nats"})
