"""Delta times the number of records: how many records a mechanism may give away whole, and still keep its budget."""

from __future__ import annotations

import math

import pandas as pd

from wassdp.accounting.large_delta import LARGE_SHARE

COLUMN = "delta_times_records"
"""Of the table of runs and of the ledger."""
DELTA_RECORDS = "δ × records"
"""Of tables."""
ABOVE = f" (above {LARGE_SHARE:g})"


def deltas(runs: pd.DataFrame, accountant: str) -> pd.Series[float]:
    """δ of each run's budget by ``accountant`` (``kind/name``): its own, if it was asked at another than the run's."""
    run = runs["delta"].astype(float)
    column = f"delta/{accountant}"
    return runs[column].astype(float).where(runs[column].notna(), run) if column in runs else run


def delta_times_records(runs: pd.DataFrame, accountant: str | None = None) -> pd.Series[float]:
    """δ × records of each run, at the `deltas` of ``accountant`` if one is named, NaN where either is not known."""
    if "delta" not in runs or (COLUMN not in runs and "records" not in runs):
        return runs[COLUMN].astype(float) if COLUMN in runs else pd.Series(math.nan, index=runs.index)
    run = runs["delta"].astype(float)
    share = runs[COLUMN].astype(float) if COLUMN in runs else runs["records"].astype(float) * run
    return share if accountant is None else share * (deltas(runs, accountant) / run)


def largest(runs: pd.DataFrame, accountant: str | None = None) -> float:
    """The largest δ × records of ``runs``; NaN where none is known."""
    return float(delta_times_records(runs, accountant).max())
