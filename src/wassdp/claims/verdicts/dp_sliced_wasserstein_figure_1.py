"""SWD Figure 1, caption: the bounds at k = 200, d = 784, for δ as in Table 4 (1e-3 and less)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from wassdp.accounting.formulas import sliced_tails
from wassdp.claims.inequality import Inequality

PROJECTIONS, DIMENSION = 200, 784


@dataclass(frozen=True)
class Tail:
    """δ."""

    tail: float

    def __str__(self) -> str:
        return f"k = {PROJECTIONS}, d = {DIMENSION}, δ = {self.tail:.6g}"


def _draw(generator: np.random.Generator) -> Tail:
    return Tail(float(10 ** -generator.uniform(3, 8)))


def _ratio(case: Tail) -> float:
    """The larger of 1 over the Bernstein bound and of the CLT bound over the normal quantile, either way."""
    deviation = math.sqrt(2 * PROJECTIONS * (DIMENSION - 1) / (DIMENSION**2 * (DIMENSION + 2)))
    normal = NormalDist(PROJECTIONS / DIMENSION, deviation).inv_cdf(1 - case.tail)
    central = sliced_tails.central_limit(PROJECTIONS, DIMENSION, case.tail)
    return max(1 / sliced_tails.bernstein(PROJECTIONS, DIMENSION, case.tail), central / normal, normal / central)


def _plain(case: Tail) -> float:
    """k/d is a quarter, and the term in log(1/δ) makes more than the rest of 1."""
    return (1 - PROJECTIONS / DIMENSION) / (2 / 3 * math.log(1 / case.tail))


def _central(case: Tail) -> float:
    """Were the CLT bound above 1 too."""
    return 1 / sliced_tails.central_limit(PROJECTIONS, DIMENSION, case.tail)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Figure 1",
    place="Figure 1, caption",
    statement="at k = 200, d = 784 the Bernstein bound is above 1, and the CLT bound is the normal quantile",
    formula="w_Bernstein(k, δ) > 1, w_CLT(k, δ) = F⁻¹(1 - δ), F the normal law of H's mean and variance",
    compared="1 / Bernstein bound, or quotient of CLT bound and quantile",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_central,
    usual=1000,
    few=100,
)
