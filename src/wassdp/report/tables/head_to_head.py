"""Methods of one task at equal proven budgets: score, rank, what it rests on, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import pandas as pd
from pydantic import Field

from wassdp.report import ranks
from wassdp.report.frames import ADJACENCIES, SAMPLINGS, titled
from wassdp.report.kinds import Table
from wassdp.report.table_files import bounds
from wassdp.selection import optimistic

MARK = "† "
"""Before what makes a score optimistic."""


class HeadToHeadTable(Table):
    """The table; its fields are its options."""

    compares: ClassVar[bool] = True
    caption: ClassVar[str] = """
    Methods at equal proven budgets (``{{ accountant }}``), at one δ and under one neighbouring relation that all of
    them hold under; a method's own, which may be the stronger, stands in its row. **score** is on test records, in
    percent: mean, least and most of the seeds; it is what settings were chosen for, as the figure's axis names it.
    **rank**: by mean score among the methods of the problem at the budget, the best is 1; **95 %** is the range of
    ranks when the seeds of every method are drawn anew with replacement, which few seeds make too narrow. **mean rank**
    is over the budgets at which all methods of the problem are ranked; two of them differ by more than chance explains
    if they differ by **critical difference** (Nemenyi, 5 %), and **Friedman p** is the chance of such ranks if all were
    alike, were budgets of one problem independent of each other; with few budgets neither can tell much. **p by** says
    how it was computed: of all *permutations* of the ranks at each budget, which is exact, or, where these are too
    many, by the *χ²* approximation, which few budgets make wrong. A method of
    which nothing is proven, or which is not private, is shown and not ranked; one into which nothing of private records
    enters is ranked at every budget. **Settings by** says what they were chosen by: trials, scored without noise on a
    sixth of the training records that a public rule holds out, in no ε here; † marks settings that test
    accuracies had a part in, or of which that is not recorded, whose scores may be too good. Seconds and memory are of
    one run, of its whole process.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant that proves the budgets")

    def budgets_shown(self) -> tuple[str, ...]:
        return (self.accountant,)

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per problem, budget and method, the best first.

        Raises:
            ValueError: as `wassdp.report.ranks.cells`.
        """
        table = ranks.ranked(ranks.cells(runs, self.accountant))
        table = table.sort_values(["problem", "budget", "rank", "mean"], ascending=[True, True, True, False])
        tests = {name: ranks.friedman(rows) for name, rows in table.groupby("problem", sort=False)}
        made = pd.DataFrame([_row(row.to_dict(), table, tests[row["problem"]]) for _, row in table.iterrows()])
        return bounds(made, {"proven ε": "upper", "δ": "upper"})


def _row(row: Mapping[Any, Any], table: pd.DataFrame, alike: ranks.Friedman) -> dict[str, Any]:
    private = not pd.isna(row["delta"])
    relation = f"{ADJACENCIES[row['adjacency']]}, {SAMPLINGS[row['sampling']]}" if private else "–"
    return {
        "problem": titled(row["problem"]),
        "ε": row["budget"],
        "method": row["method"],
        "score (%)": 100 * row["mean"],
        "least": 100 * row["least"],
        "most": 100 * row["most"],
        "seeds": row["seeds"],
        "rank": row["rank"] if row["unranked"] == "" else row["unranked"],
        "95 %": between(row["rank_least"], row["rank_most"]),
        "mean rank": row["mean_rank"],
        "critical difference": difference(table, row["problem"]),
        "Friedman p": alike.p,
        "p by": "–" if math.isnan(alike.p) else "permutations" if alike.exact else "χ²",
        "proven ε": row["epsilon"] if private else math.nan,
        "δ": row["delta"],
        "relation and sampling": relation,
        "settings by": MARK * optimistic(row["selection"]) + row["selection"],
        "public data": row["public"],
        "seconds": row["seconds"],
        "memory (MiB)": row["memory"],
    }


def between(least: float, most: float) -> str:
    """A range of ranks as text.

    >>> between(1.0, 2.5), between(float("nan"), float("nan"))
    ('1 to 2.5', '–')
    """
    return "–" if math.isnan(least) else f"{least:g} to {most:g}"


def difference(table: pd.DataFrame, problem: str) -> float:
    """The critical difference of the mean ranks of a problem; NaN where there are none to compare."""
    own = table[(table["problem"] == problem) & (table["unranked"] == "")]
    methods, blocks = own["method"].nunique(), int(own["blocks"].max()) if len(own) else 0
    return ranks.critical_difference(methods, blocks) if methods > 1 and blocks else math.nan
