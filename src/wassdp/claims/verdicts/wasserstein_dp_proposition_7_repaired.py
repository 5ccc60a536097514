"""WDP Proposition 7 with the true distance: the outputs are one law moved by Δ, whatever λ and μ.

At most Δ by moving every point by Δ; at least Δ since the means differ by Δ.
"""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart
from wassdp.claims.translates import Translates, laplace, moved_means, simpler


def _ratio(found: Translates) -> float:
    return apart(found.distance(), found.sensitivity)


def _verified(found: Translates) -> float:
    return float(moved_means(found) / found.sensitivity)


def _by_scale(found: Translates) -> float:
    return found.distance() / (found.sensitivity / found.scale)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 7",
    place="Properties of WDP and Table 1; appendix, equations 33 to 41",
    statement="Laplace noise gives WDP with the sensitivity as its budget, for every order and every noise",
    formula="W_μ = Δ for every μ ≥ 1 and λ > 0",
    repairs="wasserstein-dp-proposition-7",
    draw=laplace,
    ratio=_ratio,
    verified=_verified,
    corrupted=_by_scale,
    simpler=simpler,
    compared="larger / smaller of both sides",
)
