"""WDP Abstract: budgets "are relatively stable and less influenced by order", at the curves of Figure 1.

Read as: from order 1 to order 10 a printed WDP budget grows by a smaller factor than the RDP budget of the same
mechanism at the same scale. That is so for all eight. How much it grows itself is in
`wasserstein-dp-basic-mechanisms-slow`.
"""

from __future__ import annotations

from collections.abc import Callable

from wassdp.accounting.formulas import mechanisms
from wassdp.accounting.formulas.mechanisms import Mechanism
from wassdp.claims.figure_1_orders import FIRST, LAST, SCALES, plain_growth
from wassdp.claims.recomputed import Entry, Recomputed

Budget = Callable[[Mechanism, float, float], float]


def _entry(mechanism: Mechanism, scale: float, other: Budget = mechanisms.printed_renyi) -> Entry:
    budgets: tuple[Budget, Budget] = (mechanisms.printed_wasserstein, other)
    own, renyi = (printed(mechanism, scale, LAST) / printed(mechanism, scale, FIRST) for printed in budgets)
    return Entry(
        name=f"{mechanism}, scale {scale:g}: growth of WDP's budget against RDP's",
        printed=renyi,
        found=own,
        relation="at most",
        again=lambda: plain_growth(mechanism, scale),
    )


def _constant(mechanism: Mechanism, scale: float, order: float) -> float:
    """Pure DP's budget of Laplace noise, whatever the mechanism: it has no order."""
    return mechanisms.printed_pure("laplace", scale)


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Abstract, influence of the order",
    place="Abstract; Experiments, Basic Mechanisms, Figure 1",
    statement="the order changes the printed WDP budgets of basic mechanisms by smaller factors than RDP budgets",
    formula="WDP at μ = 10 / at μ = 1 ≤ RDP at α = 10 / at α = 1, scales 1, 2, 3, 5, Δ = 1",
    entries=lambda: [_entry(mechanism, scale) for mechanism in mechanisms.MECHANISMS for scale in SCALES],
    flipped_entries=lambda: [
        _entry(mechanism, scale, _constant) for mechanism in mechanisms.MECHANISMS for scale in SCALES
    ],
)
