"""Delta times the number of records: how many records a mechanism may give away whole, and still keep its budget."""

from __future__ import annotations

import math

import pandas as pd

COLUMN = "delta_times_records"
"""Of the table of runs and of the ledger."""
DELTA_RECORDS = "δ × records"
"""Of tables."""
LARGE_SHARE = 0.1
"""From here on it is marked."""
ABOVE = f" (above {LARGE_SHARE:g})"


def large(share: float) -> bool:
    """Whether it is to be marked; what rounding adds to 0.1 is not."""
    return share > LARGE_SHARE * (1 + 1e-9)


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
