"""WDP, observation (2) on Figure 2, where the moments and the Bayesian accountant may choose an order, as they do."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry
from wassdp.claims.synthetic_gradients import floor


def _entries(rows: Rows) -> list[Entry]:
    return [
        Entry(
            name=f"{row['label']}, seed {row['seed']}, Wasserstein against {other} accountant at order 1",
            printed=number(row, f"epsilon/published/{other}-order-1"),
            found=number(row, "epsilon/published/wasserstein"),
            relation="at most",
            again=lambda row=row: floor(row),  # type: ignore[misc]
        )
        for row in rows["composition"]
        for other in ("moments", "bayesian")
    ]


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 2",
    place="Section 'Synthetic gradients': 'the privacy budgets under WA are always the lowest'",
    statement="the Wasserstein accountant's budget is the lowest when the others take order 1 in place of order 16",
    experiments=(("wasserstein-dp", "composition"),),
    entries=_entries,
)
