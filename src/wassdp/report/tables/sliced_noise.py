"""DP-SWD's printed noise, what it costs by each account, and the noise that a budget needs (SWD, Table 4)."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from wassdp.accounting.guarantee import Kind
from wassdp.report.frames import require
from wassdp.report.kinds import Table
from wassdp.report.shares import DELTA_RECORDS
from wassdp.report.table_files import bounds

COLUMNS = {
    "parameters.setting.problem": "problem",
    "parameters.setting.delta": "δ",
    "parameters.setting.dimension": "d",
    "parameters.setting.projections": "k",
    "parameters.setting.records": "N",
    "parameters.setting.batch": "batch",
    "parameters.setting.steps": "steps",
    "parameters.setting.directions": "directions",
    "parameters.setting.sigma": "σ printed",
}
BUDGETS = {
    "epsilon/published/swd_bernstein_code": "ε, authors' code (Bernstein)",
    "epsilon/published/swd_bernstein": "ε, Proposition 2 (Bernstein)",
    "epsilon/published/swd_clt": "ε, Proposition 2 (CLT)",
    "epsilon/upper/pld": "ε proven",
}

PROVEN = "epsilon/upper/pld"


class SlicedNoiseTable(Table):
    """The table; it has no options."""

    caption: ClassVar[str] = """
    Noise σ that *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021), Table 4,
    prints for ε = 10, under four accounts. **Published**: the authors' code, and Proposition 2 as printed with
    either bound. **Proven** (upper bound): exact profile of the projections, composed; sampling without
    replacement, replace one, rows within distance 1 (clipped to norm 1/2). The last columns are the least noise for
    which the proven bound keeps the budget. The proven figures rest on rows clipped so; the authors' code divides
    by a batch maximum instead.
    """

    def accountants_needed(self) -> tuple[str, ...]:
        return (PROVEN.removeprefix("epsilon/"),)

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per run, in the order of the configuration; the last columns are the least noise for each budget.

        Published accounts appear where they were asked for: Proposition 2 knows no orthogonal directions.

        Raises:
            ValueError: a column is missing.
        """
        require(runs, [*COLUMNS, PROVEN])
        budgets = {name: label for name, label in BUDGETS.items() if name in runs}
        needed = {
            name: f"σ for ε = {name.removeprefix('sigma/')}" for name in map(str, runs) if name.startswith("sigma/")
        }
        names = COLUMNS | budgets | needed
        # Whole numbers as such: a table would round 41652 steps to four digits.
        whole = dict.fromkeys(("d", "k", "N", "batch", "steps"), int)
        table = runs[list(names)].rename(columns=names).astype(whole).reset_index(drop=True)
        table.insert(list(table.columns).index("σ printed"), DELTA_RECORDS, table["δ"] * table["N"])
        # The least noise for a budget, rounded up, still keeps it.
        kinds: dict[str, Kind] = dict.fromkeys(("ε proven", "δ", *needed.values()), "upper")
        return bounds(table, kinds)
