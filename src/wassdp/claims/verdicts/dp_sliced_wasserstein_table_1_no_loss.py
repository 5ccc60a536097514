"""SWD section 6.2, on its Table 1: what privacy costs, as printed. A loss within both printed spreads is none."""

from __future__ import annotations

from collections.abc import Sequence

from wassdp.claims.printed import dp_sliced_wasserstein_table_1 as table
from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.record import PrintedValue, exchanged


def _entries(records: Sequence[PrintedValue] = table.RECORDS) -> list[Entry]:
    printed = {record.column: record.printed for record in records}
    tasks = [column.removeprefix("DP-SWD, ") for column in printed if column.startswith("DP-SWD, ")]
    return [
        Entry(
            name=f"{task}, accuracy of DP-SWD",
            printed=printed[f"SWD, {task}"],
            found=printed[f"DP-SWD, {task}"],
            digit=printed[f"spread of SWD, {task}"] + printed[f"spread of DP-SWD, {task}"],
            relation="at least",
        )
        for task in tasks
    ]


def _flipped() -> list[Entry]:
    """Without privacy nothing is lost."""
    return _entries(exchanged(table.RECORDS, "SWD", "DP-SWD"))


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Table 1",
    place="Section 6.2: 'our method does not incur a loss of performance despite the private mechanism'",
    statement="as printed, DP-SWD is as accurate as SWD without privacy, up to both printed spreads",
    formula="acc(SWD) - acc(DP-SWD) ≤ s(SWD) + s(DP-SWD), on every task",
    entries=_entries,
    flipped_entries=_flipped,
    both_printed=True,
)
