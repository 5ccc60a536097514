"""WDP Table 2, the probabilities in parentheses: each follows from the budget before it."""

from __future__ import annotations

import math

from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.claims.printed import wasserstein_dp_table_2 as table
from wassdp.claims.recomputed import Entry, Recomputed


def _entries() -> list[Entry]:
    printed = {(record.row, record.column): record.printed for record in table.RECORDS}
    return [
        _entry(f"{row}, {framework}", printed[row, f"P(A) {framework}"], printed[row, framework])
        for row in dict.fromkeys(row for row, _ in printed)
        for framework in table.FRAMEWORKS
    ]


def _entry(name: str, printed: float, epsilon: float) -> Entry:
    return Entry(
        name=name,
        printed=printed,
        found=attack_success(epsilon),
        digit=0.001,
        again=lambda: 0.5 + 0.5 * math.tanh(epsilon / 2),
    )


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Table 2",
    place="Table 2, in parentheses",
    statement="the printed probabilities of a successful attack follow from the printed budgets, to three digits",
    formula="P(A) = 1/(1 + e^{-ε})",
    entries=_entries,
)
