"""WG Theorem 4.1(a): one private side, on the line."""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.moved_gradients import Neighbours, draw, moved, nearby, plain_moved, simpler


def _stated(case: Neighbours) -> float:
    return 4 * case.bound * (3 * case.norms[0] + case.norms[1]) / len(case.left)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Theorem 4.1(a)",
    place="Section 4; proof in Section A.2",
    statement="replacing one record of X in its place moves the gradient of W₂² by at most 4M (3L₁ + L₂)/n",
    formula="ΔΦ_θ ≤ 4M (3L₁ + L₂)/n, |g|, |h| ≤ M, ‖∇g‖ ≤ L₁, ‖∇h‖ ≤ L₂",
    draw=lambda generator: draw(generator, dimensions=(1,)),
    nearby=nearby,
    ratio=lambda case: moved(case) / _stated(case),
    verified=lambda case: (
        plain_moved(case) * len(case.left) / (12 * case.bound * case.norms[0] + 4 * case.bound * case.norms[1])
    ),
    corrupted=lambda case: 2 * moved(case) / _stated(case),
    simpler=simpler,
    usual=8000,
    few=300,
)
