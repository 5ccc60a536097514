"""SWD Section 4 and Algorithm 2: the published gradient of the noisy distance in a shared encoder.

Noise on the projections of encoded records protects what is computed from them alone. The gradient in the encoder's
weights also has the encoder's Jacobian at the private records, without noise (WG Remark 4.3 says so). Generation, where
no private record passes through a model, is not concerned.
"""

from __future__ import annotations

from dataclasses import replace

from wassdp.claims.encoded_points import TRIALS, draw, plain_told_apart, simpler, told_apart
from wassdp.claims.inequality import Inequality

CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Section 4, the encoder's gradient",
    place="Section 4, after equation 7; Algorithm 2, step 13",
    statement="the gradient in a shared encoder of the noisy distance to private records is (ε, δ)-DP",
    formula="P[∇_θ D(g_θ(X_s)U + V_s, g_θ(X_t)U + V_t) ∈ O] ≤ e^ε P[same for X_t'] + δ, here ε = 10, δ = 1e-5",
    compared="probability found / allowed",
    draw=draw,
    ratio=told_apart,
    verified=plain_told_apart,
    verified_is=f"1 / δ, its exact value; the former is what {TRIALS:,} draws of each side prove",
    corrupted=lambda case: told_apart(replace(case, through=False)),
    simpler=simpler,
    usual=10,
    few=2,
)
