"""SWD Property 2 as Section 3.2 prints it: of the q-th power of the distance.

The definition and the property there are about the distance to the power q. For q > 1 a power is no metric: of three
distributions that are translates of each other, equally far apart, the outer two have 2^q times the power of
neighbours, not twice. What the proof in Section 8.4 shows, of the distance itself, holds (Property 2).
"""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.smoothing import Mixtures, draw, plain_power, power, simpler


def _ratio(case: Mixtures, exponent: float) -> float:
    whole, left, right = (
        power(*side, case) ** exponent
        for side in ((case.first, case.third), (case.first, case.second), (case.second, case.third))
    )
    return whole / (left + right) if whole > 1e-9 else 0.0


def _plain(case: Mixtures) -> float:
    whole, left, right = (
        plain_power(*side, case)
        for side in ((case.first, case.third), (case.first, case.second), (case.second, case.third))
    )
    return whole / (left + right) if whole > 1e-9 else 0.0


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Property 2 as printed",
    place="Section 3.2",
    statement="the smoothed sliced distance to the power q satisfies the triangle inequality, for every q ≥ 1",
    formula="D^q(μ, ν) ≤ D^q(μ, ξ) + D^q(ξ, ν), D^q = E_u W_q^q(R_u μ * N_σ, R_u ν * N_σ)",
    compared="D^q(μ, ν) / (D^q(μ, ξ) + D^q(ξ, ν))",
    draw=draw,
    ratio=lambda case: _ratio(case, 1.0),
    verified=_plain,
    corrupted=lambda case: _ratio(case, 1 / case.order),
    simpler=simpler,
    usual=80,
    few=20,
)
