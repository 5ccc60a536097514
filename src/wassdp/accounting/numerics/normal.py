r"""A lower value of ε over very many releases of one kind, from the central limit theorem with its error.

An adversary accuses where the sum S of T privacy losses is above τ. By the theorem of Berry and Esseen, with the
constant of Shevtsova (2011), arXiv:1111.6554, the distribution of S under P and under Q is normal up to

.. math:: 0.4748 \, E|ℓ - Eℓ|^3 / (\mathrm{Var}\,ℓ)^{3/2} / \sqrt{T}

so that a power and a false alarm rate are known from below and above. No (ε, δ) with P(S > τ) > e^ε Q(S > τ) + δ holds.
A lattice is too coarse there: a trillion losses of 1e-8 each move by far less than its spacing.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wassdp.accounting.event import Event
from wassdp.accounting.profiles.base import Loss
from wassdp.accounting.profiles.dominating import directions

_CONSTANT = 0.4748
_ROUNDING = 1e-9
"""Relative error, at most, of a mean absolute loss by quadrature."""
_TAIL = 1e-60
_THRESHOLDS = 400


def berry_esseen_epsilon(event: Event, delta: float) -> float:
    """An ε that the releases of ``event`` certainly exceed at ``delta``; 0 where none is found.

    Args:
        event: what was released; its ``refusal`` must be None.
        delta: in (0, 1).
    """
    sides = directions(event)
    if sides is None:
        return math.inf
    best = 0.0
    for direction in sides:
        if len(direction) == 1:
            ((part, steps),) = direction
            profile = part.profile(upper=False, tail=_TAIL, detail=1)
            if steps > 1 and profile.unbounded() == 0:
                best = max(best, _attack(Loss.of(profile, _TAIL), steps, delta))
    return best


def _attack(loss: Loss, steps: int, delta: float) -> float:
    """The largest ε that a threshold on the sum refutes."""
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        mass_q = loss.mass * np.exp(-loss.loss)
    if not np.isfinite(mass_q).all():  # a mass that vanished in double precision, of a loss below -709
        return 0.0
    under_q = Loss(loss.loss, mass_q)
    (mean, deviation, error), (mean_q, deviation_q, error_q) = (_normal(side, steps) for side in (loss, under_q))
    if not (deviation > 0 and deviation_q > 0):
        return 0.0
    slack = _ROUNDING * steps * float(loss.mass @ np.abs(loss.loss))
    thresholds = mean + deviation * np.linspace(-4, 12, _THRESHOLDS)
    power = special.ndtr((mean - slack - thresholds) / (deviation * (1 + _ROUNDING))) - error
    alarms = special.ndtr((mean_q + slack - thresholds) / deviation_q) + error_q
    usable = power > delta
    with np.errstate(divide="ignore"):
        values = np.log(power[usable] - delta) - np.log(alarms[usable])
    return max(0.0, float(values.max(initial=0.0)) - _ROUNDING)


def _normal(loss: Loss, steps: int) -> tuple[float, float, float]:
    """Mean and deviation of the sum, and how far its distribution may be from the normal one."""
    mean = float(loss.mass @ loss.loss)
    centred = loss.loss - mean
    variance = float(loss.mass @ centred**2)
    if not 0 < variance < math.inf:
        return math.nan, math.nan, math.inf
    third = float(loss.mass @ np.abs(centred / math.sqrt(variance)) ** 3)
    error = _CONSTANT * third / math.sqrt(steps) * (1 + _ROUNDING) + steps * _TAIL
    return steps * mean, math.sqrt(steps * variance), error
