"""What is stated, what a tangent says, what is exact and what is proven about one changed record, over β."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from wassdp.report import style
from wassdp.report.gibbs import columns_over_beta

LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "stated/deletion": (
        r"published: Theorem 3.2 to first order, $2\beta R\cdot 2/N$",
        {"color": style.RED, "linestyle": style.DASHES[1]},
    ),
    "epsilon/exponential": (
        r"upper bound: exponential mechanism's $\varepsilon$, every data set",
        {"color": style.UPPER},
    ),
    "log_ratio/replacement": ("exact here: worst replacement", {"color": style.BLUE, "marker": "o"}),
    "log_ratio/deletion": ("exact here: worst deletion", {"color": style.GREEN, "marker": "s"}),
    "first_order/deletion": (
        r"first order here: exact tangent norm $\cdot\,2/N$",
        {"color": style.ORANGE, "linestyle": style.DASHES[2]},
    ),
    "log_ratio/move": ("exact here: worst small move of one record", {"color": style.PURPLE, "marker": "^"}),
    "first_order/move": (
        "first order here: exact tangent norm times the move",
        {"color": style.PURPLE, "linestyle": style.DASHES[3]},
    ),
}


class Options(style.Options):
    """This figure has no options."""


def draw(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """One panel per loss, log-ratios in nats; below it all of them as shares of the exponential mechanism's ε.

    Raises:
        ValueError: a column or a curve is missing, or a loss has two runs.
    """
    Options.model_validate(options)
    parts = []
    with style.context():
        figure, columns = columns_over_beta(runs, history, LINES)
        for column in columns:
            proven = column.curve("epsilon/exponential")
            for metric, (_, look) in LINES.items():
                if metric.endswith("/move") and not column.has(metric):  # the loss has jumps
                    continue
                found = column.curve(metric)
                column.above.plot(found.index, found, markersize=3, **look)
                column.below.plot(found.index, found / proven, markersize=3, **look)
                parts.append(column.table(metric, found))
            column.below.set_ylim(0, 2.1)
        columns[0].above.set_ylabel(r"largest $|\log(\tilde q/q)|$, nats")
        columns[0].below.set_ylabel(r"share of the proven $\varepsilon$")
    return figure, pd.concat(parts, ignore_index=True).rename(columns={"value": "nats"})
