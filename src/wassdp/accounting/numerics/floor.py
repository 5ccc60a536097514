r"""A lower value of ε, or of δ, from one simple attack, where a lattice is too coarse to give a good one.

The adversary accuses if any of T releases has a privacy loss above τ. With a = P(ℓ > τ) and b = Q(ℓ > τ)
of one release, no (ε, δ) with

.. math:: 1 - (1-a)^T > e^ε (1 - (1-b)^T) + δ

holds. Accusing only if k of the losses lie above τ replaces both sides by those of Bin(T, a) and Bin(T, b), the latter
at most C(T, k) b^k: that tells where single losses are large. Both probabilities follow from the release's own
profile, a convex function of y = e^ε: its slope at y = e^τ is -b, and a = δ(τ) + e^τ b. Secants on either side of τ
bound that slope.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from wassdp.accounting.profiles.base import Profile, Vector

_THRESHOLDS = 400
_STEP = 1e-4
_COUNTS = 30
"""Thresholds, their distance, and numbers of losses above one, that are tried."""
_ROUNDING = 1e-9
"""Relative rounding error of a profile, at most."""


def attacked_epsilon(profile: Profile, steps: int, delta: float) -> float:
    """The largest ε that the attack refutes at ``attacked_delta``, over many thresholds; 0 where it refutes none.

    Args:
        profile: one release, exact or from below.
        steps: T, at least 1.
        delta: in (0, 1).
    """
    rates, best = _rates(profile, steps, 1e-3 * delta / steps), 0.0
    if rates is None:
        return best
    for needed in np.unique(np.geomspace(1, steps, _COUNTS).round()).astype(int).tolist():
        accused, log_false = _counted(*rates, steps, needed)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.log(accused - delta) - log_false
        usable = (accused > delta) & np.isfinite(values)
        if usable.any():
            best = max(best, float(values[usable].max()) * (1 - _ROUNDING) - _ROUNDING)
    return best


def attacked_delta(profile: Profile, steps: int, epsilon: float) -> float:
    """The largest δ that the attack refutes at ``attacked_epsilon``, over many thresholds; 0 where it refutes none.

    Args, Source: as for `attacked_epsilon`; ``attacked_epsilon`` is at least 0.
    """
    rates = _rates(profile, steps, 1e-12 / steps)
    if rates is None:
        return 0.0
    accused, log_false = _counted(*rates, steps, 1)
    values = accused - np.exp(np.minimum(epsilon + log_false, 0.0))
    usable = np.isfinite(values)
    return max(0.0, float(values[usable].max()) * (1 - _ROUNDING)) if usable.any() else 0.0


def _rates(profile: Profile, steps: int, tail: float) -> tuple[Vector, Vector] | None:
    """Of a from below, of log b from above, for each threshold; NaN where b is unknown, None where there is no loss."""
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
        log_mistaken = np.log(steep) - thresholds
    return seen, np.where(steep > 0, log_mistaken, np.nan)


def _counted(seen: Vector, log_mistaken: Vector, steps: int, needed: int) -> tuple[Vector, Vector]:
    """P(Bin(T, a) ≥ k) from below, log P(Bin(T, b) ≥ k) from above."""
    if needed == 1:
        with np.errstate(divide="ignore"):
            accused = -np.expm1(steps * np.log1p(-seen))
        log_choices = np.log(steps)
    else:
        accused = special.betainc(needed, steps - needed + 1.0, seen) * (1 - _ROUNDING)
        every, some, others = special.gammaln(np.array([steps, needed, steps - needed]) + 1.0)
        log_choices = every - some - others + _ROUNDING * abs(every)
    return accused, np.minimum(log_choices + needed * log_mistaken, 0.0)
