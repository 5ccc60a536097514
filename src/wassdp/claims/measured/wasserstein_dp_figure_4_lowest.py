"""WDP Appendix B on Figure 4, at the one order 16 at which all three lines are drawn."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry
from wassdp.claims.synthetic_gradients import column, drawn


def _entries(rows: Rows) -> list[Entry]:
    return [
        Entry(
            name=f"C at quantile {quantile:g}, seed {row['seed']}, Wasserstein against {other} accountant",
            printed=number(row, column(other)),
            found=number(row, column("wasserstein")),
            relation="at most",
        )
        for quantile, own in drawn(rows, clipped=True).items()
        for row in own
        for other in ("moments", "bayesian")
    ]


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 4",
    place="Appendix B: 'this does not affect WDP to still get the lowest cumulative privacy budget'",
    statement="of clipped gradients too the Wasserstein accountant's budget is the lowest at order 16, as drawn",
    formula="ε_WDP ≤ min(ε_DP, ε_BDP), all at order 16, T = 100, clipped gradients",
    experiments=(("wasserstein-dp", "composition"),),
    entries=_entries,
)
