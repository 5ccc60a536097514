"""SWD section 6.2, beside runs here: DP-SWD as published against SWD, and against training on the source alone."""

from __future__ import annotations

import math

from wassdp.claims.measurement import Measured, Rows, deviation, labelled, mean
from wassdp.claims.recomputed import Entry

TASKS = ("mnist-usps", "usps-mnist")
ERRORS = 2.0  # standard errors that are no loss


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    for task in TASKS:
        runs = rows[f"adaptation-{task}"]
        private = labelled(runs, "DP-SWD, as published")
        public = [row for row in runs if row["label"] == "SWD"]
        # One seed has no spread of its own: the wider of both stands for either.
        wider = max(deviation(private, "accuracy"), deviation(public, "accuracy"))
        slack = ERRORS * wider * math.sqrt(1 / len(private) + 1 / len(public))
        entries.append(
            Entry(
                name=f"{task}, accuracy of DP-SWD ({len(private)} seeds) against SWD ({len(public)})",
                printed=mean(public, "accuracy"),
                found=mean(private, "accuracy"),
                digit=slack,
                relation="at least",
            )
        )
    return entries


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Table 1",
    place="Section 6.2: 'our method does not incur a loss of performance despite the private mechanism'",
    statement="digits adapted by DP-SWD as published are as accurate as by SWD, up to two standard errors",
    experiments=tuple(("dp-sliced-wasserstein", f"adaptation-{task}") for task in TASKS),
    entries=_entries,
)
