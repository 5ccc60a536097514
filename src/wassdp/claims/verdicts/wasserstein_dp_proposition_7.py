"""WDP Proposition 7, the Laplace mechanism.

The proof bounds the cost ρ(x, y) by Δ·1[x ≠ y] (equations 33 to 36), but the gap of two outputs is not bounded by Δ in
a plan that leaves mass where it is. It also takes ½ out of a power 1/μ (equation 37); at μ = 1 that changes nothing.
"""

from __future__ import annotations

import mpmath

from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, laplace, moved_means, simpler


def _ratio(found: Translates) -> float:
    return found.distance() / found.printed()


def _verified(found: Translates) -> float:
    inverse = 1 / mpmath.mpf(found.scale)
    root = mpmath.sqrt(2 * (inverse + mpmath.exp(-inverse) - 1))
    return float(moved_means(found) / (found.sensitivity / 2 * root ** (1 / found.order)))


def _moved(found: Translates) -> float:
    return found.distance() / found.sensitivity


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 7",
    place="Properties of WDP and Table 1; appendix, equations 33 to 41",
    statement="Laplace noise gives WDP with a budget that falls as the noise grows",
    formula="W_μ ≤ ½ Δ (√(2[1/λ + exp(−1/λ) − 1]))^(1/μ)",
    draw=laplace,
    ratio=_ratio,
    verified=_verified,
    corrupted=_moved,
    simpler=simpler,
)
