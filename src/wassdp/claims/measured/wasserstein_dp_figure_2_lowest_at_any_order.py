"""WDP, observation (2) on Figure 2, where the moments and the Bayesian accountant may choose an order, as they do."""

from __future__ import annotations

import math

from wassdp.claims.measurement import Measured, Row, Rows, number
from wassdp.claims.recomputed import Entry

ORDER, DELTA, PAIRS = 16, 1e-5, 50 * 49 // 2


def _floor(row: Row) -> float:
    """What noise alone makes of the Wasserstein accountant's sum: T √2 σ C (15!! pairs)^(1/16)."""
    odd = math.prod(range(1, ORDER, 2))
    scale = number(row, "parameters.noise_multiplier") * number(row, "threshold_mean")
    return float(number(row, "parameters.steps") * math.sqrt(2) * scale * (odd * PAIRS) ** (1 / ORDER))


def _entries(rows: Rows) -> list[Entry]:
    return [
        Entry(
            name=f"{row['label']}, seed {row['seed']}, Wasserstein against {other} accountant at order 1",
            printed=number(row, f"epsilon/published/{other}-order-1"),
            found=number(row, "epsilon/published/wasserstein"),
            relation="at most",
            again=lambda row=row: _floor(row),  # type: ignore[misc]
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
