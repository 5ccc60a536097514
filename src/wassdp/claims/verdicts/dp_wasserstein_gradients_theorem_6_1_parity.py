"""WG Theorem 6.1 for statistical parity (5): two groups of fixed sizes."""

from __future__ import annotations

from wassdp.claims.fair_gradients import draw, moved, nearby, plain_moved, plain_stated, simpler
from wassdp.claims.inequality import Inequality

PUBLISHED = 16.0

CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Theorem 6.1, statistical parity",
    place="Section 6, equations 5 and 7; proof in Section A.4",
    statement=(
        "replacing one record in its place, inside its group,"
        " moves the gradient by at most (1-α) 2C/n + α 16ML/min{n₀, n₁}"
    ),
    formula="Δ∇L_SP ≤ (1-α) 2C/n + α 16ML/min{n₀, n₁}",
    draw=lambda generator: draw(generator, classes=1),
    nearby=nearby,
    ratio=lambda case: moved(case) / case.stated(PUBLISHED),
    verified=lambda case: plain_moved(case) / plain_stated(case, PUBLISHED),
    corrupted=lambda case: moved(case) / case.stated(PUBLISHED / 4),
    simpler=simpler,
    usual=5000,
    few=300,
)
