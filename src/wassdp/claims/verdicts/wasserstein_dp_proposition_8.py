"""WDP Proposition 8, the Gaussian mechanism.

The proof bounds the cost ρ(x, y) by Δ·1[x ≠ y] (equations 42 to 45), but the gap of two outputs is not bounded by Δ in
a plan that leaves mass where it is. It also takes ½ out of a power 1/μ (equation 46); at μ = 1 that changes nothing.
"""

from __future__ import annotations

import mpmath

from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, divergence, gaussian, moved_means, simpler


def _ratio(found: Translates) -> float:
    """At the larger of the two values that the paper prints: Δ stands before the power in its equation 47 only."""
    return found.distance() / (found.printed() * max(1.0, found.sensitivity))


def _verified(found: Translates) -> float:
    half = mpmath.sqrt(2 * divergence(found)) ** (1 / mpmath.mpf(found.order)) / 2
    return float(moved_means(found) / (half * max(1.0, found.sensitivity)))


def _moved(found: Translates) -> float:
    return found.distance() / found.sensitivity


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 8",
    place="Properties of WDP and Table 1; appendix, equations 42 to 50",
    statement="Gaussian noise gives WDP with a budget that falls as the noise grows",
    formula="W_μ ≤ ½ (Δ/σ)^(1/μ)",
    draw=gaussian,
    ratio=_ratio,
    verified=_verified,
    corrupted=_moved,
    simpler=simpler,
)
