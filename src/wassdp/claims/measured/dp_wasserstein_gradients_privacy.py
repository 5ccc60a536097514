"""WG section 7: what privacy does to the penalised loss, on training records."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, mean
from wassdp.claims.recomputed import Entry

EXPERIMENTS = ("fair-classification", "fair-odds")  # the sentence is about classification
SLIGHT = 0.05  # of the loss without noise


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    for name in EXPERIMENTS:
        for method in dict.fromkeys(row["method"] for row in rows[name]):
            own = [row for row in rows[name] if row["method"] == method]
            plain = mean([row for row in own if row["privacy"] == "no noise"], "objective")
            for privacy in dict.fromkeys(row["privacy"] for row in own if row["privacy"] != "no noise"):
                noisy = mean([row for row in own if row["privacy"] == privacy], "objective")
                about = f"{name}, {method}, {privacy}, penalised loss"
                entries.append(
                    Entry(name=about, printed=plain, found=noisy, digit=SLIGHT * abs(plain), relation="at most")
                )
    return entries


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Section 7",
    place="Section 7, classification: 'adding privacy does not significantly alter the results of the optimization'",
    statement="the penalised loss that private training ends with is at most a twentieth above that without noise",
    formula="L_ε(T) ≤ L_∞(T) + |L_∞(T)| / 20",
    experiments=tuple(("dp-wasserstein-gradients", name) for name in EXPERIMENTS),
    entries=_entries,
)
