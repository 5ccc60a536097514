"""WG Figure 13: both variables have a budget, proven here under the sensitivity that is tight."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, WITHOUT
from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry


def _entries(rows: Rows) -> list[Entry]:
    return [
        Entry(
            name=f"{run['label']}, seed {run['seed']}, proven ε of {side.upper()} against that by the limit",
            printed=number(run, "epsilon/published/gdp"),
            found=number(run, f"epsilon_{side}/upper/pld"),
            relation="at most",
        )
        for run in rows["circle"]
        if run["privacy"] != WITHOUT
        for side in ("x", "z")
    ]


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 13",
    place="Appendix C: 'our methodology provides privacy guarantees for both the fixed variable Z and the trained X'",
    statement="both variables have a proven budget, at most the one that the paper's account states for the run",
    formula="ε_proven(X), ε_proven(Z) ≤ ε of the GDP limit",
    experiments=((SET, "circle"),),
    entries=_entries,
)
