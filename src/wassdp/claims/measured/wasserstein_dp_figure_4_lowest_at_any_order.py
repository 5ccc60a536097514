"""WDP Appendix B on Figure 4, where the moments and the Bayesian accountant may choose an order, as they do."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry
from wassdp.claims.synthetic_gradients import column, drawn, floor


def _entries(rows: Rows) -> list[Entry]:
    return [
        Entry(
            name=f"C at quantile {quantile:g}, seed {row['seed']}, Wasserstein against {other} accountant at order 1",
            printed=number(row, f"{column(other)}-order-1"),
            found=number(row, column("wasserstein")),
            relation="at most",
            again=lambda row=row: floor(row),  # type: ignore[misc]
        )
        for quantile, own in drawn(rows, clipped=True).items()
        for row in own
        for other in ("moments", "bayesian")
    ]


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 4",
    place="Appendix B: 'this does not affect WDP to still get the lowest cumulative privacy budget'",
    statement="of clipped gradients the Wasserstein accountant's budget is the lowest when the others take order 1",
    formula="ε_WDP (order 16) ≤ min(ε_DP, ε_BDP) (order 1), T = 100, clipped gradients",
    experiments=(("wasserstein-dp", "composition"),),
    entries=_entries,
)
