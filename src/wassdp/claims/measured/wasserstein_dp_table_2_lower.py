"""WDP, phenomenon (1) on Table 2: Wasserstein budgets against the others of the very same training."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry


def _entries(rows: Rows) -> list[Entry]:
    private = [row for part in rows.values() for row in part if row["privacy"] != "no privacy"]
    unique = {row["run"]: row for row in private}
    return [
        Entry(
            name=f"{row['parameters.dataset']}, {row['label']}, Wasserstein against {other} accountant",
            printed=number(row, f"epsilon/published/{other}"),
            found=number(row, "epsilon/published/wasserstein"),
            relation="at most",
        )
        for row in unique.values()
        for other in ("moments", "bayesian")
    ]


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Table 2",
    place="Section 'Deep Learning': 'WDP requires lower privacy budgets than DP and RDP'",
    statement="the Wasserstein accountant's budget of a training is below the moments and the Bayesian accountant's",
    experiments=(("wasserstein-dp", "published-table-2"), ("wasserstein-dp", "published-epochs")),
    entries=_entries,
)
