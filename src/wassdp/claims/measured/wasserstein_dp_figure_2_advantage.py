"""WDP, observation (2) on Figure 2: the advantage as C grows."""

from __future__ import annotations

from itertools import pairwise

from wassdp.claims.measurement import Measured, Rows, mean
from wassdp.claims.recomputed import Entry

QUANTILE = "parameters.clip_quantile"


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    plain = [row for row in rows["composition"] if row["label"].startswith("not clipped") and "batch" in row["label"]]
    quantiles = sorted({float(row[QUANTILE]) for row in plain})
    for other in ("moments", "bayesian"):
        ratios = []
        for quantile in quantiles:
            part = [row for row in plain if float(row[QUANTILE]) == quantile]
            ratios.append(mean(part, f"epsilon/published/{other}") / mean(part, "epsilon/published/wasserstein"))
        for (low, before), (high, after) in pairwise(zip(quantiles, ratios, strict=True)):
            name = f"{other} over Wasserstein accountant, C at quantile {high:g} after {low:g}"
            entries.append(Entry(name=name, printed=before, found=after, relation="at least"))
    return entries


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 2",
    place="Section 'Composition': 'this advantage becomes more significant with C increasing'",
    statement="the other accountants' budget over the Wasserstein accountant's grows with the clipping threshold C",
    experiments=(("wasserstein-dp", "composition"),),
    entries=_entries,
)
