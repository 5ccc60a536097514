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


def delta_times_records(runs: pd.DataFrame) -> pd.Series[float]:
    """δ × records of each run, NaN where the number of records or delta is not known."""
    if COLUMN in runs:
        return runs[COLUMN].astype(float)
    if "records" not in runs or "delta" not in runs:
        return pd.Series(math.nan, index=runs.index)
    return runs["records"].astype(float) * runs["delta"].astype(float)


def largest(runs: pd.DataFrame) -> float:
    """The largest δ × records of ``runs``; NaN where none is known."""
    return float(delta_times_records(runs).max())
