"""SWD Figure 6: FIDs of CelebA, by the caption and by the text. No CelebA is here: nothing else can be checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wassdp.claims.printed.dp_sliced_wasserstein_figure_6 import RECORDS
from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.record import PrintedValue


def _entries(records: Sequence[PrintedValue] = RECORDS) -> list[Entry]:
    places: dict[str, dict[str, float]] = {}
    for record in records:
        places.setdefault(record.where, {})[record.column.split(",")[0]] = record.printed
    caption, text = places.values()
    return [
        Entry(name=f"FID of {method}, caption and text", printed=caption[method], found=text[method], digit=1.0)
        for method in text
    ]


def _flipped() -> list[Entry]:
    """With the caption's figures in the text."""
    caption = {record.column.split(",")[0]: record.printed for record in reversed(RECORDS)}
    return _entries([replace(record, printed=caption[record.column.split(",")[0]]) for record in RECORDS])


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Figure 6",
    place="Caption of Figure 6, and section 6.3",
    statement="the FIDs of the caption are those of the text",
    formula="FID_caption(m) = FID_text(m) for every method m",
    entries=_entries,
    flipped_entries=_flipped,
    both_printed=True,
    lacking="which of the two is meant; and no CelebA data are here to measure either",
)
