"""SWD section 6.3, on its Table 2: GS-WGAN among the private methods."""

from __future__ import annotations

from collections.abc import Sequence

from wassdp.claims.printed import dp_sliced_wasserstein_table_2 as table
from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.record import PrintedValue, exchanged

BEST = "GS-WGAN"


def _entries(records: Sequence[PrintedValue] = table.RECORDS) -> list[Entry]:
    printed = {(record.row, record.column): record.printed for record in records}
    private = [method for method in table.METHODS if method not in (BEST, table.WITHOUT_PRIVACY)]
    return [
        Entry(
            name=f"{dataset}, {classifier}, {BEST}",
            printed=max(printed[dataset, f"{method}, {classifier}"] for method in private),
            found=printed[dataset, f"{BEST}, {classifier}"],
            relation="at least",
        )
        for dataset in ("mnist", "fashion_mnist")
        for classifier in table.CLASSIFIERS
    ]


def _flipped() -> list[Entry]:
    """The accuracies without privacy are above those of all private methods."""
    return _entries(exchanged(table.RECORDS, BEST, table.WITHOUT_PRIVACY))


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Table 2",
    place="Section 6.3: 'GS-WGAN performs the best'",
    statement="as printed, GS-WGAN is at least as accurate as every other private method",
    formula="acc(GS-WGAN) ≥ acc(m) for every private method m",
    entries=_entries,
    flipped_entries=_flipped,
    both_printed=True,
)
