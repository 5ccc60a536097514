"""Accuracies and budgets that a paper's table prints, as figures and tables show them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from wassdp import claims

# Loaded by name below, imported here by statement: what `wassdp.code` reads to redraw after a correction.
from wassdp.claims.printed import wasserstein_dp_table_2  # noqa: F401

COLUMNS = ["dataset", "accuracy", "kind", "epsilon", "delta"]


def title(name: str) -> str:
    """The table's name in prose.

    >>> title("wasserstein-dp-table-2")
    'Wasserstein DP, Table 2'
    """
    first = claims.load(name)[0]
    words = ["DP" if word == "dp" else word.capitalize() for word in first.paper.split("-")]
    return f"{' '.join(words)}, {first.where}"


def budgets(name: str, datasets: Sequence[str]) -> pd.DataFrame:
    """One row per dataset and kind of budget: dataset, accuracy (percent), kind, epsilon, delta.

    Args:
        name: of the published table, as in `wassdp.claims`; a budget is a record that has a delta, and belongs to
            the record ``accuracy`` of its row.
        datasets: names of the datasets wanted; those that the table does not have are left out.

    Raises:
        ValueError: there is no such table, or it has no accuracy and budget of any of the datasets.

    >>> budgets("wasserstein-dp-table-2", ["digits", "mnist"])["epsilon"].tolist()
    [2.2, 0.95, 0.76]
    """
    records = claims.load(name)
    accuracy = {record.row: record.printed for record in records if record.column == "accuracy"}
    rows = [
        (dataset, accuracy[dataset], record.column, record.printed, record.delta)
        for dataset in datasets
        for record in records
        if record.row == dataset and record.delta is not None and dataset in accuracy
    ]
    if not rows:
        raise ValueError(f"published = {name!r}: has no accuracy and budget of {', '.join(datasets)}")
    return pd.DataFrame(rows, columns=COLUMNS)
