"""WG Section 3: gradients where outputs are equal, and the rank permutation is not unique.

Definition 2.1 lets neighbours coincide up to a permutation. One of the rank permutations that follows the order of the
list is another one for the same records in another order. Theorem 4.1's proof replaces one record in its place, and
takes the others in one order.
"""

from __future__ import annotations

from wassdp.claims import equal_outputs
from wassdp.claims.inequality import Inequality

CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 3, equal outputs",
    place="Section 3, last paragraph; Definition 2.1, Theorem 4.1(a)",
    statement="at equal outputs any rank permutation may be taken, and Theorem 4.1 holds for neighbours in any order",
    formula="‖Φ_θ(X) - Φ_θ(X̃)‖ ≤ 4M (3L₁ + L₂)/n, X̃ a permutation of X but for one record, ties by index",
    draw=lambda generator: equal_outputs.draw(generator, dimensions=(1,)),
    ratio=lambda case: equal_outputs.moved(case) / equal_outputs.stated(case),
    verified=lambda case: equal_outputs.plain_moved(case) / equal_outputs.plain_stated(case),
    corrupted=lambda case: equal_outputs.moved_by_records(case) / equal_outputs.stated(case),
    simpler=equal_outputs.simpler,
    usual=3000,
    few=300,
)
