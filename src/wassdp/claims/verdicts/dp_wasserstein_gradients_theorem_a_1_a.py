"""WG Theorem A.1(a): one private side, in the plane and in space, along up to three directions."""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.moved_gradients import Neighbours, draw, moved, nearby, plain_moved, simpler


def _stated(case: Neighbours) -> float:
    return 4 * case.bound * (3 * case.norms[0] + case.norms[1]) / len(case.left)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Theorem A.1(a)",
    place="Section A.3; Remark 4.2",
    statement=(
        "replacing one record of X in its place moves the gradient of the sliced SW₂,ₖ² by at most 4M (3L₁ + L₂)/n"
    ),
    formula="ΔΦ_θ ≤ 4M (3L₁ + L₂)/n, ‖g‖, ‖h‖ ≤ M, ‖J g‖ ≤ L₁, ‖J h‖ ≤ L₂",
    draw=lambda generator: draw(generator, dimensions=(2, 3)),
    nearby=nearby,
    ratio=lambda case: moved(case) / _stated(case),
    verified=lambda case: (
        plain_moved(case) * len(case.left) / (12 * case.bound * case.norms[0] + 4 * case.bound * case.norms[1])
    ),
    corrupted=lambda case: 2 * moved(case) / _stated(case),
    simpler=simpler,
    usual=6000,
    few=300,
)
