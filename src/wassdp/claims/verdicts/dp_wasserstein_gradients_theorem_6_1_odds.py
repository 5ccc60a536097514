"""WG Theorem 6.1 for equality of odds (6): two groups of fixed sizes in each of two or three classes.

Equation 6 writes the sum over classes from 1 to K: read as over all R classes, 0 to R - 1.
"""

from __future__ import annotations

from wassdp.claims.fair_gradients import draw, moved, nearby, plain_moved, plain_stated, simpler
from wassdp.claims.inequality import Inequality

PUBLISHED = 16.0

CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Theorem 6.1, equality of odds",
    place="Section 6, equations 6 and 8; proof in Section A.4",
    statement=(
        "replacing one record in its place, inside its group,"
        " moves the gradient by at most (1-α) 2C/n + (α/R) 16ML/min n_{j,k}"
    ),
    formula="Δ∇L_EO ≤ (1-α) 2C/n + (α/R) 16ML/min_{j,k} n_{j,k}",
    draw=lambda generator: draw(generator, classes=int(generator.integers(2, 4))),
    nearby=nearby,
    ratio=lambda case: moved(case) / case.stated(PUBLISHED),
    verified=lambda case: plain_moved(case) / plain_stated(case, PUBLISHED),
    corrupted=lambda case: moved(case) / case.stated(PUBLISHED / 4),
    simpler=simpler,
    usual=5000,
    few=300,
)
