"""The constant 8 in place of 16 in WG Theorem 6.1 for equality of odds (6), two or three classes of two groups each.

Equation 6 writes the sum over classes from 1 to K: read as over all R classes, 0 to R - 1.
"""

from __future__ import annotations

from wassdp.claims.fair_gradients import draw, moved, nearby, plain_moved, plain_stated, simpler
from wassdp.claims.inequality import Inequality

TIGHT = 8.0

CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Theorem 6.1, equality of odds",
    place="Section 6, equations 6 and 8; proof in Section A.4",
    statement=(
        "replacing one record in its place, inside its group,"
        " moves the gradient by at most (1-α) 2C/n + (α/R) 8ML/min n_{j,k}"
    ),
    formula="Δ∇L_EO ≤ (1-α) 2C/n + (α/R) 8ML/min_{j,k} n_{j,k}",
    repairs="dp-wasserstein-gradients-tight-sensitivity",
    draw=lambda generator: draw(generator, classes=int(generator.integers(2, 4))),
    nearby=nearby,
    ratio=lambda case: moved(case) / case.stated(TIGHT),
    verified=lambda case: plain_moved(case) / plain_stated(case, TIGHT),
    corrupted=lambda case: moved(case) / case.stated(TIGHT / 2),
    simpler=simpler,
    usual=5000,
    few=300,
)
