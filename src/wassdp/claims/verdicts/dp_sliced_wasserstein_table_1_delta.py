"""SWD: δ of VisDA, by the caption of Table 1 and by Table 4."""

from __future__ import annotations

from wassdp.claims.printed import dp_sliced_wasserstein_table_1 as table
from wassdp.claims.printed import dp_sliced_wasserstein_table_4 as noise
from wassdp.claims.recomputed import Entry, Recomputed

RELATIVE = 1e-6


def _entries() -> list[Entry]:
    captions = {record.row: record.delta for record in table.RECORDS if record.delta is not None}
    return [
        Entry(
            name=f"δ of {setting.problem}",
            printed=captions[setting.dataset],
            found=setting.delta,
            digit=RELATIVE * setting.delta,
        )
        for setting in noise.SETTINGS
        if setting.dataset in captions and not setting.problem.startswith("MNIST (")
    ]


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Table 1",
    place="Caption of Table 1, and Table 4",
    statement="the caption's δ, for which ε = 10 is stated, are those for which Table 4's noise is calibrated",
    entries=_entries,
)
