"""SWD's bound by the central limit theorem where it calibrates a run: DP-SWD-c on MNIST."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from wassdp.accounting.formulas import sliced_tails
from wassdp.claims.inequality import Inequality
from wassdp.claims.projections import Directions, beyond, law

POINTS = 1 << 20
USED = Directions(1000, 784, 1e-5)


def _draw(generator: np.random.Generator) -> Directions:
    return USED


def _ratio(case: Directions) -> float:
    w = sliced_tails.central_limit(case.projections, case.dimension, case.tail)
    return beyond(case.projections, case.dimension, w) / case.tail


def _least(case: Directions) -> float:
    """By the lower end of the Fourier transform's bracket."""
    k, d = case.projections, case.dimension
    normal = NormalDist(k / d, (2 * k * (d - 1) / (d**2 * (d + 2))) ** 0.5)
    return law(k, d, POINTS).exceeded(normal.inv_cdf(1 - case.tail))[0] / case.tail


def _bernstein(case: Directions) -> float:
    w = sliced_tails.bernstein(case.projections, case.dimension, case.tail)
    return beyond(case.projections, case.dimension, w) / case.tail


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="CLT bound, for MNIST",
    place="Section 3.1, after Lemma 2, at k, d and δ of Table 4, row MNIST (c)",
    statement="the squared sensitivity exceeds the CLT bound with probability at most δ = 1e-5 at k = 1000, d = 784",
    formula="P(H > k/d + (z/d) √(2k (d-1)/(d+2))) ≤ δ",
    compared="P(H > w) / δ",
    note="The paper says of this bound itself that it 'is not rigorous due to the CLT approximation'",
    draw=_draw,
    ratio=_ratio,
    verified=_least,
    corrupted=_bernstein,
    usual=1,
    few=1,
)
