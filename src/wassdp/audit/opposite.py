r"""Two records with opposite parts in a release on sampled batches: what such a pair really has of the account.

A record that enters with probability q brings +a or -a, a batch without it neither, so that

.. math:: P = (1 - q) \mathcal{N}(0, 1) + q \mathcal{N}(a, 1), \quad
    Q = (1 - q) \mathcal{N}(0, 1) + q \mathcal{N}(-a, 1)

in units of the noise. What is proven of sampling without replacement (Zhu, Dong and Wang 2022, Theorem 11)
dominates it.
With u = e^{ax} and k = q e^{-a²/2} the losses of P against Q ascend with x, and x of a loss ε ≥ 0 solves

.. math:: k u^2 - (1 - q)(e^ε - 1) u - k e^ε = 0 .
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.guarantee import Adjacency
from wassdp.accounting.profiles.base import NOTHING, Loss, Symmetric, Vector

_STEP = 0.25
_LARGEST = 700.0


@dataclass(frozen=True, kw_only=True)
class OppositeSampled(Event):
    """One release of which a record's part is one of two opposite ones, where the record enters.

    Args:
        noise_multiplier: deviation of the noise over the distance 2a of the two parts.
        rate: q in (0, 1], with which a record enters.
        adjacency: the relation under which the two records are neighbours.

    >>> from wassdp.accounting.numerics import exact
    >>> pair = OppositeSampled(noise_multiplier=1.0, rate=1.0, adjacency="replace-one")
    >>> pair.reduced()
    Gaussian(noise_multiplier=1.0, adjacency='replace-one')
    """

    noise_multiplier: float
    rate: float
    adjacency: Adjacency

    def __post_init__(self) -> None:
        limits.noise("noise_multiplier", self.noise_multiplier)
        if checks.probability("rate", self.rate) == 0:
            raise ValueError("rate = 0: must be above 0")

    def reduced(self) -> Event:
        if self.rate == 1:
            return Gaussian(noise_multiplier=self.noise_multiplier, adjacency=self.adjacency)
        return self

    @property
    def noiseless(self) -> bool:
        return self.noise_multiplier == 0

    def pair(self, *, upper: bool, tail: float, detail: int) -> Symmetric:
        return Opposite(1 / (2 * self.noise_multiplier), self.rate)


@dataclass(frozen=True, eq=False)
class Opposite(Symmetric):
    """The pair (P, Q) of the module's description.

    Args:
        part: a > 0.
        rate: q in (0, 1).
    """

    part: float
    rate: float

    def delta(self, epsilon: Vector) -> Vector:
        positive = np.minimum(np.abs(epsilon), _LARGEST)
        x, q, a = self._place(positive), self.rate, self.part
        first = (1 - q) * special.ndtr(-x) + q * special.ndtr(a - x)
        log_second = np.logaddexp(math.log1p(-q) + special.log_ndtr(-x), math.log(q) + special.log_ndtr(-a - x))
        found = np.maximum(first - np.exp(np.minimum(positive + log_second, 0.0)), 0.0)
        mirrored = -np.expm1(np.minimum(epsilon, 0.0)) + np.exp(np.minimum(epsilon, 0.0)) * found
        return np.asarray(np.where(epsilon < 0, mirrored, found))

    def atoms(self) -> Loss:
        return NOTHING

    def ends(self, tail: float) -> tuple[float, float]:
        # P's mass lies no lower than that of N(0, 1), and no higher than that of N(a, 1).
        far = -float(special.ndtri(min(tail, 0.5)))
        low, high = self._loss(np.array([-far, self.part + far]))
        return float(low), float(high)

    def breaks(self, tail: float) -> Vector:
        high = self.part - float(special.ndtri(min(tail, 0.5)))
        count = 2 * math.ceil(high / (_STEP / max(1.0, self.part))) + 1
        return self._loss(np.linspace(-high, high, count))

    def scale(self) -> float:
        return float(self._slope(np.zeros(1))[0]) / max(1.0, self.part)

    def log_density(self, loss: Vector) -> Vector:
        x, q, a = self._place(loss), self.rate, self.part
        mixed = np.logaddexp(math.log1p(-q), math.log(q) + a * x - a * a / 2)
        return np.asarray(mixed - x * x / 2 - math.log(2 * math.pi) / 2 - np.log(self._slope(x)))

    def _loss(self, x: Vector) -> Vector:
        q, a = self.rate, self.part
        sides = (np.logaddexp(math.log1p(-q), math.log(q) + sign * a * x - a * a / 2) for sign in (1, -1))
        return np.asarray(next(sides) - next(sides))

    def _slope(self, x: Vector) -> Vector:
        odds = float(special.logit(self.rate)) - self.part**2 / 2
        return np.asarray(self.part * (special.expit(self.part * x + odds) + special.expit(odds - self.part * x)))

    def _place(self, loss: Vector) -> Vector:
        """The x of a loss."""
        size = np.minimum(np.abs(loss), _LARGEST)
        k = self.rate * math.exp(-(self.part**2) / 2)
        gap = (1 - self.rate) * np.expm1(size)
        u = (gap + np.hypot(gap, 2 * k * np.exp(size / 2))) / (2 * k)
        return np.asarray(np.sign(loss) * np.log(u) / self.part)
