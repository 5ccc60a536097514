"""WG section 7: what the penalty does, on training records, at every budget that was run."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from wassdp.claims.measurement import Measured, Row, Rows, deviation, mean
from wassdp.claims.recomputed import Entry

EXPERIMENTS = ("fair-classification", "fair-odds", "fair-regression", "fair-representation")


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    for name in EXPERIMENTS:
        for privacy in dict.fromkeys(row["privacy"] for row in rows[name]):
            own = [row for row in rows[name] if row["privacy"] == privacy]
            weights = sorted({_weight(row["label"]) for row in own})
            runs = [[row for row in own if _weight(row["label"]) == weight] for weight in weights]
            for (low, before), (high, after) in pairwise(zip(weights, runs, strict=True)):
                about = f"{name}, {privacy}, distance of the groups at α = {high:g} against {low:g}"
                entries.append(_compared(about, before, after))
    return entries


def _compared(name: str, before: Sequence[Row], after: Sequence[Row]) -> Entry:
    """The mean over seeds falls, up to two standard errors."""
    errors = [deviation(rows, "distance") / math.sqrt(len(rows)) for rows in (before, after)]
    printed, found = mean(before, "distance"), mean(after, "distance")
    return Entry(name=name, printed=printed, found=found, digit=2 * math.hypot(*errors), relation="at most")


def _weight(label: str) -> float:
    found = re.match(r"α = ([0-9.]+)", label)
    assert found is not None, label
    return float(found[1])


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Section 7",
    place="Section 7: 'the Wasserstein penalization mitigates biases as α increases'",
    statement="the Wasserstein distance of the groups falls as the penalty's weight α rises, up to two standard errors",
    formula="W(α') - W(α) ≤ 2 standard errors at each next α' > α",
    experiments=tuple(("dp-wasserstein-gradients", name) for name in EXPERIMENTS),
    entries=_entries,
)
