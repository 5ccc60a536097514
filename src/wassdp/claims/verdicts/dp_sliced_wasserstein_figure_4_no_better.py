"""SWD section 6.3 on Figure 4 beside its Table 2: classifiers of generated digits, DP-SWD's and DP-MERF's."""

from __future__ import annotations

from collections.abc import Sequence

from wassdp.claims.printed import dp_sliced_wasserstein_table_2 as table
from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.record import PrintedValue, exchanged

DATA = "mnist"


def _entries(records: Sequence[PrintedValue] = table.RECORDS) -> list[Entry]:
    printed = {(record.row, record.column): record.printed for record in records}
    return [
        Entry(
            name=f"{classifier}, {method} against DP-MERF",
            printed=printed[DATA, f"DP-MERF, {classifier}"],
            found=printed[DATA, f"{method}, {classifier}"],
            relation="at most",
        )
        for method in ("DP-SWD-c", "DP-SWD-b")
        for classifier in table.CLASSIFIERS
    ]


def _flipped() -> list[Entry]:
    """GS-WGAN's accuracies are above DP-SWD's."""
    return _entries(exchanged(table.RECORDS, "DP-MERF", "GS-WGAN"))


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Figure 4",
    place="Section 6.3: 'although they do not lead to better performance in the classification task', on MERF",
    statement="as Table 2 prints them, DP-SWD's accuracies on MNIST are at most DP-MERF's (without spread)",
    formula="acc(DP-SWD) ≤ acc(DP-MERF), in each printed row on MNIST",
    entries=_entries,
    flipped_entries=_flipped,
    both_printed=True,
)
