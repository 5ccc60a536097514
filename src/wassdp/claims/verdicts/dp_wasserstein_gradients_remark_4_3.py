"""WG Remark 4.3: what noise on projections (SWD) covers of the gradient in a model that private records pass through.

The remark says that it covers the first factor of the chain rule alone. It does if there are neighbours whose noisy
outputs follow one law, while the product with the Jacobian tells them apart at (ε, δ) = (10, 1e-5).
"""

from __future__ import annotations

from dataclasses import replace

from wassdp.claims.encoded_points import draw, plain_told_apart, simpler, told_apart
from wassdp.claims.inequality import Inequality

CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Remark 4.3",
    place="Section 4",
    statement="noise on projections of g_θ(X) gives no guarantee for the gradient in θ, only for its first factor",
    formula="for some X ~ X' and O: P[∇_θ SW₂²(g_θ(X), Z) ∈ O] > e^ε P[same for X'] + δ, here ε = 10, δ = 1e-5",
    compared="probability allowed / found",
    draw=draw,
    ratio=lambda case: 1 / told_apart(case),
    verified=lambda case: 1 / max(plain_told_apart(case), 1e-9),
    corrupted=lambda case: 1 / max(told_apart(replace(case, through=False)), 1e-9),
    simpler=simpler,
    usual=10,
    few=2,
)
