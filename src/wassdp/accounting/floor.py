r"""A lower value of ε, or of δ, from one simple attack, where a lattice is too coarse to give a good one.

The adversary accuses if any of T releases has a privacy loss above τ. With a = P(ℓ > τ) and b = Q(ℓ > τ)
of one release, no (ε, δ) with

.. math:: 1 - (1-a)^T > e^ε (1 - (1-b)^T) + δ

holds. Both probabilities follow from the release's own profile, a convex function of y = e^ε: its slope
at y = e^τ is -b, and a = δ(τ) + e^τ b. Secants on either side of τ bound that slope.
"""

from __future__ import annotations

import numpy as np

from wassdp.accounting.profiles.base import Profile, Vector

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
    found = _rates(profile, steps, 1e-3 * delta / steps)
    if found is None:
        return 0.0
    accused, log_false = found
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.log(accused - delta) - log_false
    usable = (accused > delta) & np.isfinite(values)
    return max(0.0, float(values[usable].max() - _ROUNDING)) if usable.any() else 0.0


def delta(profile: Profile, steps: int, epsilon: float) -> float:
    """The largest δ that the attack refutes at ``epsilon``, over many thresholds; 0 where it refutes none.

    Args, Source: as for `epsilon`; ``epsilon`` is at least 0.
    """
    found = _rates(profile, steps, 1e-12 / steps)
    if found is None:
        return 0.0
    accused, log_false = found
    values = accused - np.exp(np.minimum(epsilon + log_false, 0.0))
    usable = np.isfinite(values)
    return max(0.0, float(values[usable].max()) * (1 - _ROUNDING)) if usable.any() else 0.0


def _rates(profile: Profile, steps: int, tail: float) -> tuple[Vector, Vector] | None:
    """1 - (1-a)^T from below and log(1 - (1-b)^T) from above, for each threshold; None where there is no loss."""
    top = profile.ends(tail)[1]
    if not 0 < top < np.inf:
        return None
    thresholds = top * np.linspace(1 / _THRESHOLDS, 1.0, _THRESHOLDS)
    left, middle, right = (profile.delta(thresholds + shift * _STEP * top) for shift in (-1, 0, 1))
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        # Slopes times e^τ; nothing overflows.
        flat = (middle * (1 - _ROUNDING) - right * (1 + _ROUNDING)) / np.expm1(_STEP * top)
        steep = (left * (1 + _ROUNDING) - middle * (1 - _ROUNDING)) / -np.expm1(-_STEP * top)
        seen = np.clip(middle * (1 - _ROUNDING) + np.maximum(flat, 0.0), 0.0, 1.0)
        accused = -np.expm1(steps * np.log1p(-seen))
        # log(1 - (1-b)^T) ≤ log(T b), and ≤ 0.
        log_false = np.minimum(np.log(steps) + np.log(steep) - thresholds, 0.0)
    return accused, np.where(steep > 0, log_false, np.nan)
