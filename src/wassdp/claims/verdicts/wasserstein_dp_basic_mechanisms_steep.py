"""WDP Basic Mechanisms: RDP has "a steep increase under Gaussian mechanism when the noise scale equals 1".

Read as: from order 1 to 10 that curve rises by more than twice as much as any other of Figure 1's sixteen. It rises by
4.5; the next, RDP of the Gaussian mechanism at scale 2, by 1.125.
"""

from __future__ import annotations

from collections.abc import Sequence

from wassdp.accounting.formulas import mechanisms
from wassdp.claims.figure_1_orders import FIRST, LAST, SCALES
from wassdp.claims.recomputed import Entry, Recomputed

TIMES = 2.0


def _entries(scales: Sequence[float] = SCALES) -> list[Entry]:
    budgets = {"WDP": mechanisms.printed_wasserstein, "RDP": mechanisms.printed_renyi}
    rises = {
        (framework, mechanism, scale): printed(mechanism, scale, LAST) - printed(mechanism, scale, FIRST)
        for framework, printed in budgets.items()
        for mechanism in mechanisms.MECHANISMS
        for scale in scales
    }
    steepest = rises.pop(("RDP", "gaussian", 1.0))
    return [
        Entry(
            name=f"rise of RDP, Gaussian mechanism, scale 1, against {framework}, {mechanism}, scale {scale:g}",
            printed=TIMES * rise,
            found=steepest,
            relation="at least",
        )
        for (framework, mechanism, scale), rise in rises.items()
    ]


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Basic Mechanisms, steep increase of RDP",
    place="Experiments, Basic Mechanisms, second paragraph, Figure 1",
    statement="with the order, RDP's budget of the Gaussian mechanism at scale 1 rises steeply beside all other curves",
    formula="RDP at α = 10 − RDP at α = 1, Gaussian, σ = 1 ≥ 2 (the same difference of each other curve)",
    entries=_entries,
    flipped_entries=lambda: _entries((*SCALES, SCALES[0] / 2)),  # where RDP's curve is steeper
)
