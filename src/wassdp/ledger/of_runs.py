"""The budget of a setting by one accountant or attack: what holds for each of its runs."""

from __future__ import annotations

import math

import pandas as pd

from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import of_all
from wassdp.ledger.rows import EPSILON


def of_runs(rows: pd.DataFrame, kind: Kind, *, runs: int) -> tuple[float, float]:
    """ε and δ; a bound that a run lacks is none for all of them.

    A row without a number is no finite budget; of an attack it is one that reached nothing.

    Args:
        rows: of the ledger, by one accountant or attack of one setting.
        kind: theirs.
        runs: how many the setting has.
    """
    known = rows[EPSILON].astype(float).fillna(0.0 if kind == "lower" else math.inf)
    value = of_all([*known, *[math.nan] * (runs - rows["run"].nunique())], kind)
    # A lower bound holds at smaller deltas, the others at larger ones.
    return value, float(rows["delta"].min() if kind == "lower" else rows["delta"].max())
