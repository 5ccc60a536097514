"""WG Theorem 4.1(b): both sides private, on the line. The side in which a record is replaced may be either."""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.moved_gradients import Neighbours, draw, moved, nearby, plain_moved, simpler


def _stated(case: Neighbours) -> float:
    (one, other), n, m = case.norms, len(case.left), len(case.right)
    return 4 * case.bound * max((3 * one + other) / n, (one + 3 * other) / m)


def _plain(case: Neighbours) -> float:
    (one, other), n, m = case.norms, len(case.left), len(case.right)
    return plain_moved(case) / (4 * case.bound) / max((3 * one + other) / n, (one + 3 * other) / m)


def _smaller_of_both(case: Neighbours) -> float:
    (one, other), n, m = case.norms, len(case.left), len(case.right)
    return moved(case) / (4 * case.bound * min((3 * one + other) / n, (one + 3 * other) / m))


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Theorem 4.1(b)",
    place="Section 4; proof in Section A.2",
    statement=(
        "replacing one record of X or Z in its place"
        " moves the gradient of W₂² by at most 4M max{(3L₁+L₂)/n, (L₁+3L₂)/m}"
    ),
    formula="ΔΨ_θ ≤ 4M max{(3L₁ + L₂)/n, (L₁ + 3L₂)/m}, |g|, |h| ≤ M, ‖∇g‖ ≤ L₁, ‖∇h‖ ≤ L₂",
    draw=lambda generator: draw(generator, dimensions=(1,)),
    nearby=nearby,
    ratio=lambda case: moved(case) / _stated(case),
    verified=_plain,
    corrupted=_smaller_of_both,
    simpler=simpler,
    usual=8000,
    few=300,
)
