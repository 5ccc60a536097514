"""WDP Appendix B on Figure 4: how fast the three budgets grow, at the one order 16 at which they are drawn."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry

FIGURE = "figure-4"
HALF, END = 50.0, 100.0
"""Steps between which growth is taken."""


def _entries(rows: Rows) -> list[Entry]:
    budgets = {
        (number(row, "clip_quantile"), row["curve"], number(row, "step")): number(row, "epsilon")
        for row in rows[FIGURE]
        if row["clipped"] == "True"
    }
    quantiles = dict.fromkeys(quantile for quantile, _, _ in budgets)
    growth = {
        (quantile, curve): budgets[quantile, curve, END] - budgets[quantile, curve, HALF]
        for quantile in quantiles
        for curve in ("DP", "BDP", "WDP")
    }
    return [
        Entry(
            name=f"C at quantile {quantile:g}, growth of WDP's budget against {other}'s, steps {HALF:g} to {END:g}",
            printed=growth[quantile, other],
            found=growth[quantile, "WDP"],
            relation="at most",
        )
        for quantile in quantiles
        for other in ("DP", "BDP")
    ]


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 4",
    place="Appendix B: 'this value grows the a bit slower than that of DP and BDP'",
    statement="of clipped gradients the budget under WDP, at order 16 as drawn, grows slower than under DP and BDP",
    formula="ε_WDP(100) - ε_WDP(50) ≤ ε_X(100) - ε_X(50), X = DP, BDP",
    experiments=(("wasserstein-dp", "composition"),),
    drawn=(("wasserstein-dp", FIGURE),),
    entries=_entries,
)
