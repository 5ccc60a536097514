"""WG Section 3 with a rank permutation that the records choose, not their order in the list.

Then the gradient is a function of the set of records, and replacing one leaves the others in one order, as in the proof
of Theorem 4.1.
"""

from __future__ import annotations

from wassdp.claims.equal_outputs import Relisted, draw, moved, moved_by_records, plain_moved_by_records, simpler
from wassdp.claims.inequality import Inequality


def _stated(case: Relisted) -> float:
    pair = case.pair
    return 4 * pair.bound * (3 * pair.norms[0] + pair.norms[1]) / len(pair.left)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 3, equal outputs",
    place="Section 3, last paragraph; Definition 2.1, Theorem 4.1(a)",
    statement="with equal outputs in an order of the records themselves, Theorem 4.1 holds for neighbours in any order",
    formula="‖Φ_θ(X) - Φ_θ(X̃)‖ ≤ 4M (3L₁ + L₂)/n, X̃ a permutation of X but for one record, ties by record",
    repairs="dp-wasserstein-gradients-section-3-ties",
    draw=lambda generator: draw(generator, dimensions=(1, 2)),
    ratio=lambda case: moved_by_records(case) / _stated(case),
    verified=lambda case: (
        plain_moved_by_records(case)
        * len(case.pair.left)
        / (12 * case.pair.bound * case.pair.norms[0] + 4 * case.pair.bound * case.pair.norms[1])
    ),
    corrupted=lambda case: moved(case) / _stated(case),
    simpler=simpler,
    usual=3000,
    few=300,
)
