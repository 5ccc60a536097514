"""WDP Table 2, the probabilities in parentheses: each follows from the budget before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.claims.printed import wasserstein_dp_table_2 as table
from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.record import PrintedValue


def _entries(records: Sequence[PrintedValue] = table.RECORDS) -> list[Entry]:
    printed = {(record.row, record.column): record.printed for record in records}
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
        again=lambda: _plain(epsilon),
    )


def _plain(epsilon: float) -> float:
    return 0.5 + 0.5 * math.tanh(epsilon / 2)


def _flipped() -> list[Entry]:
    """With probabilities, to three digits, that do follow."""
    budgets = {(record.row, f"P(A) {record.column}"): record.printed for record in table.RECORDS}
    return _entries(
        [
            replace(record, printed=round(_plain(budgets[record.row, record.column]), 3))
            if record.column.startswith("P(A) ")
            else record
            for record in table.RECORDS
        ]
    )


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Table 2",
    place="Table 2, in parentheses",
    statement="the printed probabilities of a successful attack follow from the printed budgets, to three digits",
    formula="P(A) = 1/(1 + e^{-ε})",
    entries=_entries,
    flipped_entries=_flipped,
)
