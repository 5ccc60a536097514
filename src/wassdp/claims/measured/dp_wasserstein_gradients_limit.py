"""WG section 5.3: the limit of Gaussian DP as an account of batches, under one and the same published sensitivity."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry

PROVEN = ("epsilon/upper/pld_published_sensitivity", "epsilon/upper/pld")
"""Under the paper's sensitivity; the second alone where that is the smallest there is, without the penalty."""
EXPERIMENTS = ("fair-classification", "fair-odds", "fair-regression", "fair-representation")


def _entries(rows: Rows) -> list[Entry]:
    unique = {
        number(row, "noise_multiplier"): (name, row)
        for name in EXPERIMENTS
        for row in rows[name]
        if row["privacy"] != "no noise"
    }
    return [
        Entry(
            name=f"{name}, {row['label']}, proven ε against that by the limit",
            printed=number(row, "epsilon/published/gdp"),
            found=number(row, next(name for name in PROVEN if row.get(name))),
            digit=1e-3,
            relation="at most",
        )
        for name, row in unique.values()
    ]


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Section 5.3",
    place="Section 5.3, and the captions of the figures",
    statement="the budget by the limit of Gaussian DP is at least the one proven for the same noise and sensitivity",
    experiments=tuple(("dp-wasserstein-gradients", name) for name in EXPERIMENTS),
    entries=_entries,
)
