"""WDP, observation (2) on Figure 2: the advantage as C grows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from wassdp.claims.measurement import Measured, Rows, mean
from wassdp.claims.plain_tables import experiment_rows
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


def _again(folder: Path) -> dict[str, float]:
    """Ratios of sums over the same runs, found by their parameters."""
    sums: dict[float, dict[str, float]] = {}
    for row in experiment_rows(folder, "wasserstein-dp", "composition"):
        if row["parameters.clip"] == "False" and row["parameters.threshold"] != "population":
            own = sums.setdefault(float(row["parameters.clip_quantile"]), {})
            for name in ("moments", "bayesian", "wasserstein"):
                own[name] = own.get(name, 0.0) + float(row[f"epsilon/published/{name}"])
    thresholds = sorted(sums)
    return {
        f"{other} over Wasserstein accountant, C at quantile {after:g} after {before:g}": (
            sums[after][other] / sums[after]["wasserstein"]
        )
        for before, after in pairwise(thresholds)
        for other in ("moments", "bayesian")
    }


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 2",
    place="Section 'Composition': 'this advantage becomes more significant with C increasing'",
    statement="the other accountants' budget over the Wasserstein accountant's grows with the clipping threshold C",
    formula="ε_DP(C') / ε_WDP(C') ≥ ε_DP(C) / ε_WDP(C) at each next C' > C, and so for BDP",
    experiments=(("wasserstein-dp", "composition"),),
    entries=_entries,
    again=_again,
)
