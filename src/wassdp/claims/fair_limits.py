"""Budgets of fair trainings by the limits of Gaussian DP, beside what is proven for the same noise and sensitivity."""

from __future__ import annotations

import functools

from wassdp.accounting.rounding import rounded
from wassdp.claims.gaussian_limits import Run, plain_proven
from wassdp.claims.measurement import Row, Rows, number
from wassdp.claims.recomputed import Entry

SMALLEST = "epsilon/upper/pld"
"""By the smallest sensitivity that is known."""
PAPERS = f"{SMALLEST}_published_sensitivity"
"""By the paper's; runs without the penalty, where that is the smallest, have no such column."""
LIMITS = {"gdp": "Poisson limit", "gdp_uniform": "uniform limit"}
NAMES = ("fair-classification", "fair-odds", "fair-regression", "fair-representation")
EXPERIMENTS = tuple(("dp-wasserstein-gradients", name) for name in NAMES)


def _proven_again(row: Row, noise: float) -> float:
    batch = round(number(row, "parameters.batch_share") * number(row, "records"))
    run = Run(int(number(row, "parameters.steps")), batch, number(row, "parameters.privacy.epsilon"))
    return plain_proven(run, noise)


def of_limit(rows: Rows, limit: str) -> list[Entry]:
    """One entry for each noise, all by the paper's sensitivity.

    Its name has the budget by every limit, and the smaller one that is proven for the same run where the penalty has a
    smaller sensitivity.
    """
    unique = {
        number(row, "noise_multiplier"): (name, row)
        for name in NAMES
        for row in rows[name]
        if row["privacy"] != "no noise"
    }
    entries = []
    for noise, (name, row) in unique.items():
        stated = {words: number(row, f"epsilon/published/{each}") for each, words in LIMITS.items()}
        told = [f"{words} {value:.4g}" for words, value in stated.items()]
        if row.get(PAPERS):
            told.append(f"proven by a smaller sensitivity {rounded(number(row, SMALLEST), 'upper')}")
        entry = Entry(
            # Noises of one budget differ in the fifth digit from seed to seed.
            name=(
                f"{name}, {row['label']}, σ = {noise:.5g} ({', '.join(told)}): ε proven by the paper's sensitivity "
                f"against the {LIMITS[limit]}"
            ),
            printed=stated[LIMITS[limit]],
            found=number(row, PAPERS if row.get(PAPERS) else SMALLEST),
            digit=1e-3,
            relation="at most",
            again=functools.partial(_proven_again, row, noise),
        )
        entries.append(entry)
    return entries
