r"""The squared product Y = (zᵀu/‖u‖)² of a vector with a random direction: draws, and its law by integration.

Draws follow the definition, u ~ N(0, σ²I). What confirms them uses the angle φ between z and u alone, whose density is
proportional to sin^{d-2} φ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking

DRAWS = 4000
# Draws lie further from their law than the margin with this probability (Dvoretzky, Kiefer, Wolfowitz; Massart 1990).
DOUBT = 1e-12
MARGIN = math.sqrt(math.log(2 / DOUBT) / (2 * DRAWS))

Values = Float[np.ndarray, " values"]
Law = Callable[["Product", Values], Values]
"""Distribution function that is stated, of a case and values."""


@dataclass(frozen=True)
class Product:
    """d, the deviation of u's entries, ‖z‖, and the seed of the draws and of z's direction."""

    dimension: int
    deviation: float
    length: float
    seed: int

    def __str__(self) -> str:
        return f"d = {self.dimension}, ‖z‖ = {self.length:g}, u of deviation {self.deviation:g}"


def draw(generator: np.random.Generator, *, lengths: tuple[float, ...] = (1.0,)) -> Product:
    """D from 2 to 100."""
    return Product(
        int(generator.choice((2, 3, 4, 5, 10, 100))),
        float(generator.choice((0.1, 1.0, 30.0))),
        float(generator.choice(lengths)),
        int(generator.integers(1 << 31)),
    )


def simpler(case: Product) -> Iterator[Product]:
    """A lower dimension, deviation 1."""
    yield from shrinking.smaller(case, "dimension", least=2)
    if case.deviation != 1:
        yield Product(case.dimension, 1.0, case.length, case.seed)


def gap(case: Product, stated: Law) -> float:
    """Largest distance of the draws' distribution function from the stated one, over what chance explains."""
    generator = np.random.default_rng(case.seed)
    z = generator.normal(size=case.dimension)
    z *= case.length / np.linalg.norm(z)
    u = case.deviation * generator.normal(size=(DRAWS, case.dimension))
    values = np.sort((u @ z / np.linalg.norm(u, axis=1)) ** 2)
    below = stated(case, values)
    steps = np.arange(DRAWS + 1) / DRAWS
    return float(max((steps[1:] - below).max(), (below - steps[:-1]).max())) / MARGIN


def gap_by_angle(case: Product, stated: Law) -> float:
    """The same of the law itself, over the same margin: integrals of sin^{d-2} by the midpoint rule."""
    points = 200_000
    angles = (np.arange(points) + 0.5) * (math.pi / 2 / points)
    weights = np.sin(angles) ** (case.dimension - 2)
    # cos² falls with the angle: P(Y <= value) is the mass beyond its angle.
    mass = np.cumsum(weights[::-1])[::-1] / weights.sum()
    chosen = slice(0, points, 500)
    values = (case.length * np.cos(angles[chosen] - math.pi / 4 / points)) ** 2
    return float(np.abs(mass[chosen] - stated(case, values)).max()) / MARGIN


def plain_beta(dimension: int, shares: Values) -> Values:
    """Distribution function of B(1/2, (d-1)/2) by the trapezoidal rule in the arc sine of the root."""
    nodes = np.linspace(0.0, math.pi / 2, 100_001)
    density = np.cos(nodes) ** (dimension - 2)
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return np.asarray(np.interp(np.arcsin(np.sqrt(np.clip(shares, 0, 1))), nodes, below / below[-1]))
