"""SWD Property 2: symmetry and triangle inequality of the smoothed sliced distance.

The reading most favourable to the authors: Section 3.2 writes the q-th power of the distance, but the proof in Section
8.4 is one about its q-th root, for every q ≥ 1. The power is tested by itself (Property 2 as printed).
"""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.smoothing import Mixtures, draw, plain_power, power, root, simpler


def _ratio(case: Mixtures, exponent: float) -> float:
    """The triangle's ratio, or that of both directions where they differ; ``exponent`` of the distance itself."""
    sides = ((case.first, case.third), (case.first, case.second), (case.second, case.third), (case.third, case.first))
    whole, left, right, back = (root(power(*side, case), case.order / exponent) for side in sides)
    if whole < 1e-9:
        return 0.0
    sides_differ = max(whole, back) / min(whole, back)
    return max(whole / (left + right), sides_differ if sides_differ > 1 + 1e-9 else 0.0)


def _plain(case: Mixtures) -> float:
    whole, left, right = (
        plain_power(*side, case) ** (1 / case.order)
        for side in ((case.first, case.third), (case.first, case.second), (case.second, case.third))
    )
    return whole / (left + right) if whole > 1e-9 else 0.0


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Property 2",
    place="Section 3.2; proof in Section 8.4",
    statement="the smoothed sliced distance is symmetric and satisfies the triangle inequality, for every q ≥ 1",
    formula="D(μ, ν) = D(ν, μ) ≤ D(μ, ξ) + D(ξ, ν), D^q = E_u W_q^q(R_u μ * N_σ, R_u ν * N_σ)",
    compared="D(μ, ν) / (D(μ, ξ) + D(ξ, ν)), or D(μ, ν) / D(ν, μ) if not 1:",
    draw=draw,
    ratio=lambda case: _ratio(case, 1.0),
    verified=_plain,
    corrupted=lambda case: _ratio(case, max(case.order, 1.5)),
    simpler=simpler,
    usual=80,
    few=20,
)
