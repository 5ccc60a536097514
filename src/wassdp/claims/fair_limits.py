"""Budgets of fair trainings by the limits of Gaussian DP, beside what is proven for the same noise and sensitivity."""

from __future__ import annotations

from wassdp.claims.measurement import Rows, number
from wassdp.claims.recomputed import Entry

PROVEN = ("epsilon/upper/pld_published_sensitivity", "epsilon/upper/pld")
"""Under the paper's sensitivity; the second alone where that is the smallest there is, without the penalty."""
LIMITS = {"gdp": "Poisson limit", "gdp_uniform": "uniform limit"}
NAMES = ("fair-classification", "fair-odds", "fair-regression", "fair-representation")
EXPERIMENTS = tuple(("dp-wasserstein-gradients", name) for name in NAMES)


def of_limit(rows: Rows, limit: str) -> list[Entry]:
    """One entry for each noise; its name has the budget by every limit."""
    unique = {
        number(row, "noise_multiplier"): (name, row)
        for name in NAMES
        for row in rows[name]
        if row["privacy"] != "no noise"
    }
    entries = []
    for name, row in unique.values():
        stated = {words: number(row, f"epsilon/published/{each}") for each, words in LIMITS.items()}
        told = ", ".join(f"{words} {value:.4g}" for words, value in stated.items())
        entry = Entry(
            name=f"{name}, {row['label']} ({told}), proven ε against the {LIMITS[limit]}",
            printed=stated[LIMITS[limit]],
            found=number(row, next(column for column in PROVEN if row.get(column))),
            digit=1e-3,
            relation="at most",
        )
        entries.append(entry)
    return entries
