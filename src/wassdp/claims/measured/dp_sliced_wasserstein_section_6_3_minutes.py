"""SWD section 6.3: how long a training takes, of Table 2's rows in all their steps, on whatever machine they ran."""

from __future__ import annotations

from wassdp.claims.generated_images import SET
from wassdp.claims.measurement import Measured, Row, Rows, mean
from wassdp.claims.recomputed import Entry

MINUTES = 10.0
EXPERIMENTS = ("generation-readings-mnist", "generation-readings-fashion-mnist")


def _entries(rows: Rows) -> list[Entry]:
    """Settings of one machine, the mean over their seeds."""
    kinds: dict[tuple[str, str, str], list[Row]] = {}
    for name in EXPERIMENTS:
        for row in rows[name]:
            kinds.setdefault((name, row["label"], row["device"]), []).append(row)
    return [
        Entry(
            name=f"{name.removeprefix('generation-readings-')}, {label}, minutes on {device}",
            printed=MINUTES,
            found=mean(own, "seconds") / 60,
            relation="at most",
        )
        for (name, label, device), own in kinds.items()
    ]


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Section 6.3, minutes",
    place="Section 6.3: 'while our model and MERF's take less than 10min'",
    statement="a training of Table 2, by SWD, DP-SWD, MERF or DP-MERF in all 60,000 steps, takes ten minutes at most",
    formula="E seconds ≤ 600, of each setting and machine",
    experiments=tuple((SET, name) for name in EXPERIMENTS),
    entries=_entries,
    lacking="the machine; here a processor's single thread, or an H100, which the entries name",
)
