"""WDP Basic Mechanisms: budgets "not susceptible to the order μ, because their curves all exhibit slow upward trends".

Read as: over the orders drawn, 1 to 10, none of the eight curves more than doubles, to a hundredth. At scale 5 they
grow 4.38-fold (Laplace) and 4.26-fold (Gaussian), and both rise by about .33 there, which is more than the RDP curves
of that scale do (.11 and .18). As factors they all grow less than RDP's: `wasserstein-dp-abstract-order`. The
distances of which Table 1 speaks do not depend on μ at all: they are the sensitivity.
"""

from __future__ import annotations

from wassdp.accounting.formulas import mechanisms
from wassdp.accounting.formulas.mechanisms import Mechanism
from wassdp.claims.figure_1_orders import FIRST, LAST, SCALES, plain_growth
from wassdp.claims.recomputed import Entry, Recomputed

MOST = 2.0
DIGIT = 0.01


def _entry(mechanism: Mechanism, scale: float) -> Entry:
    first, last = (mechanisms.printed_wasserstein(mechanism, scale, order) for order in (FIRST, LAST))
    return Entry(
        name=f"{mechanism}, scale {scale:g}: budget at μ = 10 / at μ = 1",
        printed=MOST,
        found=last / first,
        digit=DIGIT,
        relation="at most",
        again=lambda: plain_growth(mechanism, scale),
    )


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Basic Mechanisms, influence of the order",
    place="Experiments, Basic Mechanisms, second paragraph, Figure 1",
    statement="the printed WDP budgets of Figure 1 are not susceptible to the order: none more than doubles",
    formula="budget of Table 1 at μ = 10 ≤ 2 budget at μ = 1, scales 1, 2, 3, 5, Δ = 1",
    entries=lambda: [_entry(mechanism, scale) for mechanism in mechanisms.MECHANISMS for scale in SCALES],
    flipped_entries=lambda: [  # the two smaller scales alone
        _entry(mechanism, scale) for mechanism in mechanisms.MECHANISMS for scale in SCALES[:2]
    ],
)
