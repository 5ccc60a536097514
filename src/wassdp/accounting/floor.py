r"""A lower value of ε from one simple attack, where a lattice is too coarse to give a good one.

The adversary accuses if any of T releases has a privacy loss above τ. With a = P(ℓ > τ) and b = Q(ℓ > τ)
of one release, no (ε, δ) with

.. math:: 1 - (1-a)^T > e^ε (1 - (1-b)^T) + δ

holds. Both probabilities follow from the release's own profile, a convex function of y = e^ε: its slope
at y = e^τ is -b, and a = δ(τ) + e^τ b. Secants on either side of τ bound that slope.
"""

from __future__ import annotations

import numpy as np

from wassdp.accounting.profiles.base import Profile

_THRESHOLDS = 400
_STEP = 1e-4
_ROUNDING = 1e-9
"""Relative rounding error of a profile, at most."""


def epsilon(profile: Profile, steps: int, delta: float) -> float:
    """The largest ε that the attack refutes at ``delta``, over many thresholds; 0 where it refutes none.

    Args:
        profile: one release, exact or from below.
        steps: T, at least 1.
        delta: in (0, 1).
    """
    top = profile.ends(1e-3 * delta / steps)[1]
    if not 0 < top < np.inf:
        return 0.0
    thresholds = top * np.linspace(1 / _THRESHOLDS, 1.0, _THRESHOLDS)
    left, middle, right = (profile.delta(thresholds + shift * _STEP * top) for shift in (-1, 0, 1))
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        # Slopes times e^τ; nothing overflows.
        flat = (middle * (1 - _ROUNDING) - right * (1 + _ROUNDING)) / np.expm1(_STEP * top)
        steep = (left * (1 + _ROUNDING) - middle * (1 - _ROUNDING)) / -np.expm1(-_STEP * top)
        seen = np.clip(middle * (1 - _ROUNDING) + np.maximum(flat, 0.0), 0.0, 1.0)
        accused = -np.expm1(steps * np.log1p(-seen)) - delta
        # log(1 - (1-b)^T) ≤ log(T b), and ≤ 0.
        log_false = np.minimum(np.log(steps) + np.log(steep) - thresholds, 0.0)
        found = np.log(accused) - log_false
    usable = (accused > 0) & (steep > 0) & np.isfinite(found)
    return max(0.0, float(found[usable].max() - _ROUNDING)) if usable.any() else 0.0
