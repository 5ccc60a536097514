"""SWD section 6.2, beside runs here: DP-SWD as published against SWD, digits, seed by seed."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, labelled, number
from wassdp.claims.paired_seeds import paired
from wassdp.claims.recomputed import Entry

TASKS = ("mnist-usps", "usps-mnist")


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    for task in TASKS:
        runs = rows[f"adaptation-{task}"]
        public, private = (labelled(runs, label) for label in ("SWD", "DP-SWD, as published"))
        pair = paired(public, private, lambda row: number(row, "accuracy"))
        name = f"{task}, accuracy of DP-SWD as published against SWD, {len(private)} of the same seeds each"
        entries.append(Entry(name=name, printed=pair.before, found=pair.after, spread=pair.spread, relation="at least"))
    return entries


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Table 1",
    place="Section 6.2: 'our method does not incur a loss of performance despite the private mechanism'",
    statement="digits adapted by DP-SWD as published are as accurate as by SWD, on average over the same seeds",
    formula="E[acc(DP-SWD) - acc(SWD)] ≥ 0, over the same seeds",
    experiments=tuple(("dp-sliced-wasserstein", f"adaptation-{task}") for task in TASKS),
    entries=_entries,
)
