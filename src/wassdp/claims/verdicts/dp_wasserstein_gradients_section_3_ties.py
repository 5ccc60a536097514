"""WG Section 3: gradients where outputs are equal, and the rank permutation is not unique.

Definition 2.1 lets neighbours coincide up to a permutation. One of the rank permutations that follows the order of the
list is another one for the same records in another order. Theorem 4.1's proof replaces one record in its place, and
takes the others in one order.
"""

from __future__ import annotations

from wassdp.claims.equal_outputs import Relisted, draw, moved, moved_by_records, plain_moved, simpler
from wassdp.claims.inequality import Inequality


def _stated(case: Relisted) -> float:
    pair = case.pair
    return 4 * pair.bound * (3 * pair.norms[0] + pair.norms[1]) / len(pair.left)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 3, equal outputs",
    place="Section 3, last paragraph; Definition 2.1, Theorem 4.1(a)",
    statement="at equal outputs any rank permutation may be taken, and Theorem 4.1 holds for neighbours in any order",
    formula="‖Φ_θ(X) - Φ_θ(X̃)‖ ≤ 4M (3L₁ + L₂)/n, X̃ a permutation of X but for one record, ties by index",
    draw=lambda generator: draw(generator, dimensions=(1,)),
    ratio=lambda case: moved(case) / _stated(case),
    verified=lambda case: (
        plain_moved(case)
        * len(case.pair.left)
        / (12 * case.pair.bound * case.pair.norms[0] + 4 * case.pair.bound * case.pair.norms[1])
    ),
    corrupted=lambda case: moved_by_records(case) / _stated(case),
    simpler=simpler,
    usual=3000,
    few=300,
)
