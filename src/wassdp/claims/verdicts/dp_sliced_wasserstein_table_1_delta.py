"""SWD: δ of VisDA, by the caption of Table 1 and by Table 4."""

from __future__ import annotations

from collections.abc import Sequence

from wassdp.claims.printed import dp_sliced_wasserstein_table_1 as table
from wassdp.claims.printed import dp_sliced_wasserstein_table_4 as noise
from wassdp.claims.printed.dp_sliced_wasserstein_table_4 import Setting
from wassdp.claims.recomputed import Entry, Recomputed

RELATIVE = 1e-6
CAPTIONS = {record.row: record.delta for record in table.RECORDS if record.delta is not None}


def _entries(settings: Sequence[Setting] = noise.SETTINGS) -> list[Entry]:
    return [
        Entry(
            name=f"δ of {setting.problem}",
            printed=CAPTIONS[setting.dataset],
            found=setting.delta,
            digit=RELATIVE * setting.delta,
        )
        for setting in settings
        if setting.dataset in CAPTIONS and not setting.problem.startswith("MNIST (")
    ]


def _flipped() -> list[Entry]:
    """With the captions' δ in Table 4."""
    return _entries(
        [setting._replace(delta=CAPTIONS.get(setting.dataset, setting.delta)) for setting in noise.SETTINGS]
    )


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Table 1",
    place="Caption of Table 1, and Table 4",
    statement="the caption's δ, for which ε = 10 is stated, are those for which Table 4's noise is calibrated",
    formula="δ_caption = δ_Table 4 for each task",
    entries=_entries,
    flipped_entries=_flipped,
    both_printed=True,
)
