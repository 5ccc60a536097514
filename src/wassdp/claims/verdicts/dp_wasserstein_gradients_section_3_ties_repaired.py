"""WG Section 3 with a rank permutation that the records choose, not their order in the list.

Then the gradient is a function of the set of records, and replacing one leaves the others in one order, as in the proof
of Theorem 4.1.
"""

from __future__ import annotations

from wassdp.claims import equal_outputs
from wassdp.claims.inequality import Inequality

CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 3, equal outputs",
    place="Section 3, last paragraph; Definition 2.1, Theorem 4.1(a)",
    statement="with equal outputs in an order of the records themselves, Theorem 4.1 holds for neighbours in any order",
    formula="‖Φ_θ(X) - Φ_θ(X̃)‖ ≤ 4M (3L₁ + L₂)/n, X̃ a permutation of X but for one record, ties by record",
    repairs="dp-wasserstein-gradients-section-3-ties",
    draw=lambda generator: equal_outputs.draw(generator, dimensions=(1, 2)),
    ratio=lambda case: equal_outputs.moved_by_records(case) / equal_outputs.stated(case),
    verified=lambda case: equal_outputs.plain_moved_by_records(case) / equal_outputs.plain_stated(case),
    corrupted=lambda case: equal_outputs.moved(case) / equal_outputs.stated(case),
    simpler=equal_outputs.simpler,
    usual=3000,
    few=300,
)
