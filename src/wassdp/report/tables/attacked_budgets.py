"""Budgets that were printed or reported, beside what was measured of the same releases."""

from __future__ import annotations

import math
from typing import ClassVar

import pandas as pd

from wassdp.audit import budget
from wassdp.report.frames import require
from wassdp.report.kinds import Table
from wassdp.report.table_files import bounds

COLUMNS = ("parameters.budget", "parameters.confidence", "claimed", "lower/measured", "contradicted", "trials")


class AttackedBudgetsTable(Table):
    """The table; it has no options."""

    caption: ClassVar[str] = """
    Budgets at δ = 1e-5 that were printed or reported, put to an attack. **printed** is what its authors state or
    others report of them, **claimed** what the same formula or accountant gives the releases that are attacked here,
    **measured** a lower bound on the true ε of these, at the confidence beside it and without any assumption: where it
    lies above the claim, that is contradicted. With more **trials** (of both worlds together) it could be larger.
    **proven** is an upper bound, where one is known.
    """

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per run: what it is about, who states it, and the figures; a dash where a run says not how it ended.

        Raises:
            ValueError: a column is missing.
        """
        require(runs, COLUMNS)
        claims = [budget.load(name) for name in runs["parameters.budget"]]
        table = pd.DataFrame(
            {
                "stated by": [claim.source for claim in claims],
                "of": [claim.done for claim in claims],
                "printed ε": runs["printed"].tolist() if "printed" in runs else None,
                "claimed ε": runs["claimed"].tolist(),
                "measured ε": runs["lower/measured"].tolist(),
                "claim": [_verdict(above) for above in runs["contradicted"]],
                "proven ε": runs["upper/proven"].tolist() if "upper/proven" in runs else None,
                "confidence": runs["parameters.confidence"].tolist(),
                "trials": runs["trials"].astype(int).tolist(),
            }
        )
        return bounds(table.dropna(axis="columns", how="all"), {"measured ε": "lower", "proven ε": "upper"})


def _verdict(contradicted: float) -> str | None:
    if math.isnan(contradicted):
        return None
    return "contradicted" if contradicted else "not contradicted"
