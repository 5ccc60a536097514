"""WDP Limitations, second half: "this situation only occurs when there is very little data available".

The situation: WDP gives "a much smaller privacy budget than other DP frameworks", read as less than half of DP's. Put
beside the paper's own Table 2, each framework at a noise of its own, whose data sets have 50 000 to 73 257 records for
training: there it is a third of DP's on MNIST, and a fifteenth on CIFAR-10. The mathematics does not bind it to little
data either: of order 1, the printed Laplace budget is at most half of DP's at every scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from wassdp.claims.printed import wasserstein_dp_table_2 as table
from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.record import PrintedValue, exchanged

TIMES = 2.0
RECORDS = {"mnist": 60_000, "cifar10": 50_000, "svhn": 73_257, "fashion_mnist": 60_000}
"""Training records of each set."""


def _entry(row: str, other: float, own: float) -> Entry:
    return Entry(
        name=f"{row}, {RECORDS[row]} records: DP's budget / WDP's",
        printed=TIMES,
        found=other / own,
        relation="at most",
        again=lambda: float(Fraction(str(other)) / Fraction(str(own))),
    )


def _entries(records: Sequence[PrintedValue] = table.RECORDS) -> list[Entry]:
    printed = {(record.row, record.column): record.printed for record in records}
    return [_entry(row, printed[row, "DP"], printed[row, "WDP"]) for row in RECORDS]


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Limitations, little data alone",
    place="Limitations, third sentence, with Table 2",
    statement="only with very little data does WDP give a much smaller privacy budget than other frameworks",
    formula="DP's budget ≤ 2 WDP's budget in Table 2, of sets with 50 000 records and more",
    entries=_entries,
    flipped_entries=lambda: _entries(exchanged(table.RECORDS, "DP", "WDP")),
)
