"""SWD Remark 3: mean and variance of Y."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality


@dataclass(frozen=True)
class Dimension:
    """d."""

    dimension: int

    def __str__(self) -> str:
        return f"d = {self.dimension}"


def _draw(generator: np.random.Generator) -> Dimension:
    return Dimension(int(generator.integers(2, 300)))


def _moments(case: Dimension) -> tuple[float, float]:
    """Mean and variance of cos² φ, φ of density sin^{d-2}, by the midpoint rule on a period, exact to rounding."""
    points = 512
    angles = (np.arange(points) + 0.5) * (np.pi / points)
    weights = np.sin(angles) ** (case.dimension - 2)
    if case.dimension % 2:  # |sin| to an odd power is no polynomial: Gauss's rule in the cosine is exact
        nodes, weights = np.polynomial.legendre.leggauss(points)
        weights = weights * (1 - nodes**2) ** ((case.dimension - 3) / 2)
        values = nodes**2
    else:
        values = np.cos(angles) ** 2
    mean = float(weights @ values / weights.sum())
    return mean, float(weights @ (values - mean) ** 2 / weights.sum())


def _apart(found: tuple[float, float], stated: tuple[float, float]) -> float:
    return max(max(a / b, b / a) for a, b in zip(found, stated, strict=True))


def _ratio(case: Dimension) -> float:
    d = case.dimension
    return _apart(_moments(case), (1 / d, 2 * (d - 1) / (d**2 * (d + 2))))


def _plain(case: Dimension) -> float:
    """E u₁² = 1, E u₁⁴ = 3, E ‖u‖² = d, E ‖u‖⁴ = d(d + 2), and the direction does not depend on the norm."""
    d = Fraction(case.dimension)
    mean, square = Fraction(1) / d, Fraction(3) / (d * (d + 2))
    stated = (1 / d, 2 * (d - 1) / (d**2 * (d + 2)))
    return float(max(max(a / b, b / a) for a, b in zip((mean, square - mean**2), stated, strict=True)))


def _another_variance(case: Dimension) -> float:
    d = case.dimension
    return _apart(_moments(case), (1 / d, 2 * (d - 1) / (d**2 * (d + 1))))


def _simpler(case: Dimension) -> Iterator[Dimension]:
    return shrinking.smaller(case, "dimension", least=2)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Remark 3",
    place="Section 8.1, after Lemma 1",
    statement="Y has mean 1/d and variance 2(d-1)/(d²(d+2))",
    formula="E Y = 1/d, V Y = 2(d-1) / (d² (d+2))",
    compared="the larger of found / stated and stated / found",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_another_variance,
    simpler=_simpler,
    usual=1000,
    few=50,
)
