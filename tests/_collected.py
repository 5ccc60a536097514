"""Frames of made-up runs with the words and facts that `wassdp collect` puts beside them."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from wassdp.experiment import Description
from wassdp.labels import told_apart


def collected(
    runs: pd.DataFrame, *, adjacency: str = "add-remove", sampling: str = "poisson", budgets: Iterable[str] = ()
) -> pd.DataFrame:
    """``runs`` with labels made of their parameters, and with what each budget says of itself; what is there stays.

    Args:
        runs: what a test made up.
        adjacency: of every budget that says none.
        sampling: of every budget that says none.
        budgets: metrics of their curves; those that are budgets are accounted at their delta.
    """
    frame = runs.copy()
    names = [name for name in frame if str(name).startswith("parameters.") and name != "parameters.dataset"]
    values = [
        {str(key).removeprefix("parameters."): value for key, value in row.items() if pd.notna(value)}
        for row in frame[names].to_dict("records")
    ]
    settings = list({repr(own): own for own in values}.values())
    described = told_apart([Description()] * len(settings), settings)
    words = dict(zip(map(repr, settings), described, strict=True))
    methods = pd.Series([words[repr(own)].method for own in values], index=frame.index)
    for name, column in {"label": methods, "method": methods, "problem": "", "privacy": ""}.items():
        frame[name] = frame.get(name, column)
    for metric in sorted({*map(str, frame), *budgets}):
        if metric.startswith("epsilon/"):
            key = metric.removeprefix("epsilon/")
            for fact, value in {"delta": frame["delta"], "adjacency": adjacency, "sampling": sampling}.items():
                of_private = frame["delta"].astype(object)
                of_private[frame["delta"].notna()] = value
                frame[f"{fact}/{key}"] = frame.get(f"{fact}/{key}", of_private)
    return frame
