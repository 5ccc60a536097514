r"""The squared norm H = ‖Uᵀz‖² of a unit vector on k random directions in dimension d, and what is said about its tail.

Claims search with the law of `wassdp.accounting.formulas.projected_norm`, a bracket computed by Fourier transform.
What confirms them is another formula: the moment generating function of a square,

.. math:: E e^{sY} = {}_1F_1(1/2; d/2; s),

integrated along a line through its saddle point (`beyond`), and plain draws of directions (`simulated`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import mpmath
import numpy as np

from wassdp.accounting.formulas import projected_norm
from wassdp.claims import shrinking

POINTS = 1 << 14
NODES = 400
COUNTS = (1, 2, 5, 31, 50, 100, 200)
DIMENSIONS = (2, 3, 5, 50, 100, 784)


@dataclass(frozen=True)
class Directions:
    """k independent directions in dimension d, and the probability with which a bound may be exceeded."""

    projections: int
    dimension: int
    tail: float

    def __str__(self) -> str:
        return f"k = {self.projections} directions in dimension d = {self.dimension}, probability {self.tail:g}"


def draw(generator: np.random.Generator, *, least: int = 1) -> Directions:
    """K from ``least`` to 200, d from 2 to 784, a probability from 1e-8 to 1/2."""
    counts = [count for count in COUNTS if count >= least]
    tail = 0.5 * 10.0 ** -float(generator.uniform(0, 7.5))
    return Directions(int(generator.choice(counts)), int(generator.choice(DIMENSIONS)), float(f"{tail:.2g}"))


def simpler(case: Directions, *, least: int = 1) -> Iterator[Directions]:
    """Fewer directions, a lower dimension, a larger power of ten."""
    yield from shrinking.smaller(case, "projections", least=least)
    yield from shrinking.smaller(case, "dimension", least=2)
    for tail in (0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6):
        if tail > case.tail:
            yield Directions(case.projections, case.dimension, tail)


@lru_cache(maxsize=256)
def law(projections: int, dimension: int, points: int = POINTS) -> projected_norm.Law:
    """The library's law of H, kept."""
    return projected_norm.law(projections, dimension, points=points)


def beyond(projections: int, dimension: int, value: float) -> float:
    r"""P(H > value), above the mean, by the saddle point's line.

    .. math:: P(H > x) = \frac1\pi \int_0^\infty \mathrm{Re} \frac{M(c + iy)^k e^{-(c + iy) x}}{c + iy} \, dy, \qquad
        c > 0

    Trapezoidal rule, whose error is far below 1e-6 of the value. For some thirty directions or more: with fewer the
    integrand falls too slowly.

    Raises:
        ValueError: ``value`` is not between the mean k/d and the largest value, k.
    """
    k, half = projections, mpmath.mpf(dimension) / 2
    if not k / dimension < value < k:
        raise ValueError(f"value = {value!r}: must be above the mean, {k / dimension:.6g}, and below {k}")

    def log_moment(s: mpmath.mpc) -> mpmath.mpc:
        return k * mpmath.log(mpmath.hyp1f1(0.5, half, s))

    def slope(s: mpmath.mpf) -> mpmath.mpf:
        return k * mpmath.hyp1f1(1.5, half + 1, s) / (dimension * mpmath.hyp1f1(0.5, half, s))

    low, high = mpmath.mpf(0), mpmath.mpf(1)
    while slope(high) < value:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < value else (low, middle)
    centre = high
    width = 1 / mpmath.sqrt((slope(centre * (1 + 1e-6)) - slope(centre * (1 - 1e-6))) / (centre * 2e-6))
    step, total, largest = min(width / 5, centre / 5), mpmath.mpf(0), mpmath.mpf(0)
    for node in range(NODES * 100):
        s = mpmath.mpc(centre, node * step)
        term = mpmath.exp(log_moment(s) - s * value) / s
        total += term.real / (2 if node == 0 else 1)
        largest = max(largest, abs(term))
        if abs(term) < 1e-12 * largest:
            break
    return float(step * total / mpmath.pi)


@lru_cache(maxsize=64)
def simulated(projections: int, dimension: int, draws: int = 20_000) -> np.ndarray:
    """H of so many independent matrices of directions: a unit vector's first coordinates, squared and summed."""
    generator = np.random.default_rng(projections * 10_007 + dimension)
    first = generator.normal(size=(draws, projections)) ** 2
    rest = generator.chisquare(dimension - 1, size=(draws, projections)) if dimension > 1 else 0.0
    return np.asarray((first / (first + rest)).sum(axis=1))


def surely_beyond(projections: int, dimension: int, value: float, *, doubt: float = 1e-9, draws: int = 20_000) -> float:
    """A lower bound on P(H > value) from draws that fails with probability ``doubt``, over the draws."""
    squares = simulated(projections, dimension, draws)
    # Dvoretzky, Kiefer, Wolfowitz (1956) with Massart's constant (1990).
    return float((squares > value).mean()) - math.sqrt(math.log(1 / doubt) / (2 * squares.size))
