"""Ratios of two groups' rates, of which 1 is fair: seeds on both sides of 1 do not even each other out in a mean."""

from __future__ import annotations

import pandas as pd

from wassdp.selection import evened

NAMES = ("disparate_impact", "equality_0", "equality_1")
"""Columns of runs that are such ratios (`wassdp.fairness.measures`)."""


def of_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """``runs`` with each ratio as itself or its inverse, whichever is smaller; what is not defined stays so.

    >>> of_runs(pd.DataFrame({"disparate_impact": [0.8, 1.25, None], "loss": [2.0, 2.0, 2.0]})).values.tolist()
    [[0.8, 2.0], [0.8, 2.0], [nan, 2.0]]
    """
    there = [name for name in NAMES if name in runs]
    return runs.assign(**{name: runs[name].astype(float).map(evened, na_action="ignore") for name in there})
