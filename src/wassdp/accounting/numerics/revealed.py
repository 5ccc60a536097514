r"""An upper value of ε at any loss, however large: who entered which batch counts as published.

Hiding the batch is post-processing, so what is composed from the releases *and* their batches dominates. Of T
releases a record then enters K ~ Bin(T, q), and for any k

.. math:: δ(ε) ≤ P(K > k) + δ_k(ε), \qquad P(K > k) ≤ e^{-T \, \mathrm{KL}((k+1)/T ‖ q)},

δ_k the profile of k full releases: k pure budgets added up, or one Gaussian release of k times the squared sensitivity.
That of DP-SWD's directions, H, a sum of squared coordinates of random unit vectors, has no larger moments than χ²_n/d,
n the number of directions, so that P(H ≥ nx/d) ≤ e^{-n(x - 1 - \log x)/2} for x ≥ 1.

Where single losses are large, a release tells anyway who entered, and little is given away: a relative
log(1/q) / ℓ for a loss ℓ. There a lattice would need memory without end.

Source: Zhu, Dong and Wang (2022), arXiv:2106.08567, Theorem 10 (composition of dominating pairs).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wassdp.accounting.numerics.bracket import bisected
from wassdp.accounting.profiles.base import Vector
from wassdp.accounting.profiles.dominating import Direction
from wassdp.accounting.profiles.gaussian import gaussian_delta

_TAILS = np.geomspace(1e-320, 0.5, 400)
_ROUNDING = 1e-7
"""What is added to every variance and every pure ε: more than the digits that a profile loses at such losses."""
_COUNTED = 10**6
"""Releases up to which the binomial law itself is computed."""


def has_large_losses(direction: Direction) -> bool:
    """Whether one release alone has losses beyond what lattices are for."""
    return any(part.event.large for part, _ in direction)


class Revealed:
    """The releases of one direction, their batches published.

    Args:
        direction: the pairs to be composed, at least one.
    """

    def __init__(self, direction: Direction) -> None:
        self.variance, self.pure, tails = np.zeros(_TAILS.size), np.zeros(_TAILS.size), 0
        for part, count in direction:
            entered = _entered(count, part.rate) if part.rate < 1 else np.full(_TAILS.size, float(count))
            variance, pure, random = part.event.published_batches(entered, _TAILS)
            self.variance += variance
            self.pure += pure
            tails += random + (part.rate < 1)
        self.tails = tails * _TAILS
        self.variance *= 1 + _ROUNDING
        self.pure *= 1 + _ROUNDING

    def delta(self, epsilon: float) -> float:
        """A δ that is kept at ``epsilon``."""
        bounds = self.tails + gaussian_delta(epsilon - self.pure, self.variance) * (1 + _ROUNDING)
        return min(1.0, float(bounds.min()))

    def epsilon(self, delta: float) -> float:
        """An ε that is kept at ``delta``; infinity where there is none below 1e300."""
        return bisected(lambda value: self.delta(value) <= delta, 1e-9, close=1e-9, growth=4.0, most=1e300)[1]


def _entered(count: int, rate: float) -> Vector:
    """For each tail the least k with P(K > k) ≤ tail, by Chernoff's bound or, where that is exact enough, as it is."""
    low, high = np.full(_TAILS.size, math.floor(count * rate) - 1.0), np.full(_TAILS.size, float(count))
    wanted = -np.log(_TAILS)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        share = np.minimum((middle + 1) / count, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            other = np.where(share < 1, (1 - share) * (np.log1p(-share) - math.log1p(-rate)), 0.0)
            divergence = share * (np.log(share) - math.log(rate)) + other
        # What cancels between the two terms of a tiny divergence is taken off.
        exponent = count * (divergence - 1e-14 * share * (1 + abs(math.log(rate))))
        enough = (share > rate) & (exponent >= wanted)
        if count <= _COUNTED:
            exact = special.betainc(middle + 1, np.maximum(count - middle, 1e-9), rate)
            enough |= (middle >= 0) & (exact * (1 + 1e-6) + 1e-306 <= _TAILS)
        high = np.where(enough & (high - low > 1), middle, high)
        low = np.where(~enough & (high - low > 1), middle, low)
    return high
