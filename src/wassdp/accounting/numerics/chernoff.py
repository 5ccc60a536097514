r"""An upper value of ε for any number of releases, of any loss that has a quadrature: Rényi's, over all real orders.

.. math:: ε = \min_{θ > 0} \frac{T K(θ) + \log(1/δ) + θ \log θ - (1 + θ) \log(1 + θ)}{θ}, \qquad
    K(θ) = \log E_P e^{θℓ}

(Canonne, Kamath, Steinke 2020, Proposition 12, at the order 1 + θ). What a transform's rounding makes of 10^12 and
more factors says nothing any more; here it only adds to K. What the quadrature leaves out at either end counts as an
infinite loss.
"""

from __future__ import annotations

import math

import numpy as np

from wassdp import checks
from wassdp.accounting.numerics.composition import Summands, tilted
from wassdp.accounting.profiles.base import Vector

_MASS, _TAIL, _UNIT = 1e-12, 1e-8, 2.3e-16
"""Relative error of a loss's probabilities by quadrature, of one release on average and of all of them where few reach
far into a tail (as in `composition`), and of one floating-point operation."""
_TILTS = np.geomspace(1e-8, 1e8, 161)


def chernoff_epsilon(losses: Summands, delta: float, given_up: float) -> float:
    """An ε that the releases certainly keep at ``delta``; infinity where too much was given up.

    Args:
        losses: of every kind of release, on points, and how often it happens.
        delta: in (0, 1).
        given_up: probability of all losses, in all releases, that ``losses`` leaves out at either end.
    """
    left = delta - given_up
    if left <= 0:
        return math.inf
    tilts = _TILTS
    for _ in range(3):
        values = checks.numbers("epsilon", _values(losses, left, tilts))
        best = int(np.argmin(values))
        tilts = np.geomspace(tilts[max(best - 1, 0)], tilts[min(best + 1, tilts.size - 1)], 21)
    return max(0.0, float(values.min()))


def chernoff_log_delta(losses: Summands, epsilon: float, given_up: float) -> float:
    """A δ that is certainly kept at ``chernoff_epsilon``, given up probability included: its logarithm."""
    exponents = np.array([_growth(losses, float(tilt)) - tilt * epsilon for tilt in _TILTS])
    correction = _TILTS * np.log(_TILTS) - (1 + _TILTS) * np.log1p(_TILTS)
    least = min(0.0, float((exponents + correction).min()))
    checks.numbers("given_up", np.array([given_up]))
    return float(np.logaddexp(least, math.log(given_up))) if given_up > 0 else least


def _values(losses: Summands, delta: float, tilts: Vector) -> Vector:
    growth = np.array([_growth(losses, float(tilt)) for tilt in tilts])
    return np.asarray((growth - math.log(delta) + tilts * np.log(tilts) - (1 + tilts) * np.log1p(tilts)) / tilts)


def _growth(losses: Summands, tilt: float) -> float:
    """T K(θ), rounding taken upward."""
    total = _TAIL
    for loss, log_mass, count in losses.parts:
        _, top, mass = tilted(loss, log_mass, tilt)
        total += count * (top + math.log(float(mass.sum())) + _MASS + 16 * _UNIT * (abs(top) + loss.size))
    return total
