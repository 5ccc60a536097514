r"""What every privacy profile offers: delta(epsilon), and its privacy loss as atoms and quadrature nodes.

A mechanism with a fixed neighbouring relation is represented by a pair of distributions (P, Q) that
dominates it. Its profile is the hockey-stick divergence

.. math:: δ(ε) = H_{e^ε}(P‖Q) = E_P[(1 - e^{ε - ℓ})^+], \qquad ℓ = \log dP/dQ.

Everything that composition needs is the distribution of ℓ under P. It is given as point masses
(atoms) and as a quadrature of the continuous part: second differences of δ would lose half of
all digits, the quadrature loses none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from wassdp import checks

Vector = Float[np.ndarray, " _"]
ROUNDING = 1e-11
"""What δ of a profile in double precision may be wrong by, relative, at moderate ε."""


@dataclass(frozen=True, eq=False)
class Loss:
    """A distribution of the privacy loss on points.

    Args:
        loss: ℓ, in nats, any order.
        mass: probability of each point under P.

    Raises:
        ValueError: either is not a number somewhere, which sums over the points above a level would leave out.
    """

    loss: Vector
    mass: Vector

    def __post_init__(self) -> None:
        checks.numbers("loss", self.loss)
        checks.numbers("mass", self.mass)

    @classmethod
    def of(cls, profile: Profile, tail: float) -> Loss:
        """The loss of ``profile`` on points of no lattice."""
        return profile.continuous(np.empty(0), tail) + profile.atoms()

    def __add__(self, other: Loss) -> Loss:
        return Loss(np.concatenate((self.loss, other.loss)), np.concatenate((self.mass, other.mass)))


NOTHING = Loss(np.empty(0), np.empty(0))


@runtime_checkable
class Profile(Protocol):
    """One dominating pair (P, Q)."""

    def delta(self, epsilon: Vector) -> Vector:
        """δ(ε) for each ε, any real number."""

    def atoms(self) -> Loss:
        """The losses that have a probability of their own."""

    def continuous(self, edges: Vector, tail: float) -> Loss:
        """Quadrature nodes of the continuous part, none of whose intervals crosses one of ``edges`` (ascending).

        Masses of less than ``tail`` at either end may be missing.
        """

    def ends(self, tail: float) -> tuple[float, float]:
        """Losses below and above which P has at most ``tail`` of its continuous mass."""

    def unbounded(self) -> float:
        """Probability under P of an infinite loss."""
        return 0.0

    def largest(self) -> float:
        """The loss that P does not exceed: from there on δ is 0."""
        if self.unbounded() > 0:
            return float("inf")
        return self.finite_end(0.0)

    def finite_end(self, tail: float) -> float:
        """The loss that P exceeds with probability ``tail`` at most, infinite losses apart."""
        return max(self.ends(tail)[1], float(self.atoms().loss.max(initial=-np.inf)))


@runtime_checkable
class Symmetric(Profile, Protocol):
    """A pair for which -ℓ under Q is distributed as ℓ under P; what subsampling starts from."""

    def breaks(self, tail: float) -> Vector:
        """Ascending losses between which the density under P is smooth enough for one quadrature interval."""

    def scale(self) -> float:
        """Length over which that density varies by a factor of about e."""

    def log_density(self, loss: Vector) -> Vector:
        """Logarithm of the density of ℓ under P (continuous part)."""

    def continuous(self, edges: Vector, tail: float) -> Loss:
        breaks = merged(self.breaks(tail), edges)
        if breaks.size < 2:
            return NOTHING
        nodes, widths = quadrature(breaks, self.scale())
        return Loss(nodes, np.exp(self.log_density(nodes)) * widths)


_rule = lru_cache(maxsize=8)(np.polynomial.legendre.leggauss)


def gauss_legendre(middle: Vector, half: Vector, order: int) -> tuple[Vector, Vector]:
    """Nodes and weights, so many on every interval from ``middle`` - ``half`` to ``middle`` + ``half``, flattened."""
    nodes, weights = _rule(order)
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


def quadrature(breaks: Vector, scale: float = 0.0) -> tuple[Vector, Vector]:
    """Gauss-Legendre nodes and weights on every interval between ascending ``breaks``, flattened.

    Args:
        breaks: ends of the intervals.
        scale: length over which the integrand varies; intervals far shorter than that get fewer nodes.

    >>> nodes, weights = quadrature(np.array([0.0, 1.0, 3.0]))
    >>> round(float(np.sum(weights * nodes**3)), 9)
    20.25
    """
    middle, half = (breaks[1:] + breaks[:-1]) / 2, np.diff(breaks) / 2
    short, tiny = half < 0.02 * scale, half < 0.001 * scale
    rules = [
        gauss_legendre(middle[intervals], half[intervals], order)
        for order, intervals in ((5, ~short), (3, short & ~tiny), (2, tiny))
    ]
    return np.concatenate([nodes for nodes, _ in rules]), np.concatenate([weights for _, weights in rules])


def merged(breaks: Vector, edges: Vector) -> Vector:
    """All of ``breaks``, and those of ``edges`` that lie between the first and the last of them."""
    if breaks.size < 2:
        return breaks
    inside = edges[(edges > breaks[0]) & (edges < breaks[-1])]
    return np.unique(np.concatenate((breaks, inside)))
