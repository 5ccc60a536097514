"""Laplace noise on a query."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from wassdp.accounting.additive_noise import AdditiveNoise
from wassdp.accounting.commands import NOISE, Command
from wassdp.accounting.event import Orders
from wassdp.accounting.formulas import renyi
from wassdp.accounting.profiles.base import Loss, Symmetric, Vector
from wassdp.doubles import above


@dataclass(frozen=True, kw_only=True)
class Laplace(AdditiveNoise):
    """A query plus Laplace noise, which is pure ε-DP: ε = 1 / ``noise_multiplier``.

    Args:
        noise_multiplier: scale b over the query's L1 sensitivity, a pure number; 0 means no noise, infinity is refused.
        adjacency: the neighbouring relation that the sensitivity refers to.

    Raises:
        ValueError: the multiplier is negative, not finite or beyond what is accounted for; or no such relation.

    Source: Dwork, McSherry, Nissim and Smith (2006); its profile: Balle, Barthe, Gaboardi (2018), Theorem 3.

    >>> Laplace(noise_multiplier=2.0, adjacency="add-remove").pure_epsilon
    0.5
    """

    commands = (Command(name="laplace", about="a query plus Laplace noise", shared=NOISE),)

    @property
    def pure_epsilon(self) -> float:
        return math.inf if self.noise_multiplier == 0 else above(1 / Fraction(self.noise_multiplier))

    def pair(self, *, upper: bool, tail: float, detail: int) -> Symmetric:
        return LaplacePair(self.pure_epsilon)

    def renyi(self, orders: Orders) -> Orders:
        return renyi.laplace_divergence(orders, self.noise_multiplier)


@dataclass(frozen=True)
class LaplacePair(Symmetric):
    r"""Laplace noise of scale b on a query of L1 sensitivity Δ: P = Lap(0, b), Q = Lap(Δ, b), e = Δ/b.

    Under P, ℓ = e with probability 1/2, ℓ = -e with probability e^{-e}/2, and in between ℓ has the
    density e^{(ℓ - e)/2}/4.

    .. math:: δ(ε) = 1 - e^{(ε - e)/2} \quad (|ε| ≤ e)

    Args:
        ratio: e = Δ/b > 0, sensitivity over noise scale; the mechanism's pure epsilon.
    Source: Balle, Barthe, Gaboardi (2018), Theorem 3 (its profile).
    """

    ratio: float

    def delta(self, epsilon: Vector) -> Vector:
        between = -np.expm1(np.minimum(epsilon - self.ratio, 0.0) / 2)
        return np.where(epsilon >= -self.ratio, between, -np.expm1(np.minimum(epsilon, 0.0)))

    def atoms(self) -> Loss:
        return Loss(np.array([self.ratio, -self.ratio]), np.array([0.5, np.exp(-self.ratio) / 2]))

    def ends(self, tail: float) -> tuple[float, float]:
        return -self.ratio, self.ratio

    def breaks(self, tail: float) -> Vector:
        return np.linspace(-self.ratio, self.ratio, 2 * int(np.ceil(2 * self.ratio)) + 1)

    def scale(self) -> float:
        return 2.0

    def log_density(self, loss: Vector) -> Vector:
        return np.asarray((loss - self.ratio) / 2 - np.log(4.0))
