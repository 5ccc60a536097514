"""WDP Abstract: budgets "are relatively stable and less influenced by order", at the curves of Figure 1.

Read as: from order 1 to order 10 a printed WDP budget grows by a smaller factor than the RDP budget of the same
mechanism at the same scale. That is so for all eight. How much it grows itself is in
`wasserstein-dp-basic-mechanisms-slow`.
"""

from __future__ import annotations

import math

from wassdp.accounting.formulas import mechanisms
from wassdp.accounting.formulas.mechanisms import Mechanism
from wassdp.claims.recomputed import Entry, Recomputed

SCALES = (1.0, 2.0, 3.0, 5.0)
FIRST, LAST = 1.0, 10.0


def _entry(mechanism: Mechanism, scale: float) -> Entry:
    budgets = (mechanisms.printed_wasserstein, mechanisms.printed_renyi)
    own, renyi = (printed(mechanism, scale, LAST) / printed(mechanism, scale, FIRST) for printed in budgets)
    return Entry(
        name=f"{mechanism}, scale {scale:g}: growth of WDP's budget against RDP's",
        printed=renyi,
        found=own,
        relation="at most",
        again=lambda: _plain(mechanism, scale),
    )


def _plain(mechanism: Mechanism, scale: float) -> float:
    """The power 1/10 of what stands under the power 1/μ, over the power 1."""
    root = 1 / scale if mechanism == "gaussian" else math.sqrt(2 * (1 / scale + math.exp(-1 / scale) - 1))
    return float(root ** (1 / LAST - 1))


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Abstract, influence of the order",
    place="Abstract; Experiments, Basic Mechanisms, Figure 1",
    statement="the order changes the printed WDP budgets of basic mechanisms by smaller factors than RDP budgets",
    formula="WDP at μ = 10 / at μ = 1 ≤ RDP at α = 10 / at α = 1, scales 1, 2, 3, 5, Δ = 1",
    entries=lambda: [_entry(mechanism, scale) for mechanism in mechanisms.MECHANISMS for scale in SCALES],
)
