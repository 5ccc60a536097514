"""SWD Lemma 2 where the paper uses it for images: d = 784, k = 200 and 1000, δ = 1e-5.

The paper calls the bound "very conservative as soon as δ is very small": found / stated says how much.
"""

from __future__ import annotations

import math

import numpy as np

from wassdp.accounting.formulas import sliced_tails
from wassdp.claims.inequality import Inequality
from wassdp.claims.projections import Directions, beyond, law

POINTS = 1 << 17
USED = tuple(Directions(k, 784, 1e-5) for k in (200, 1000))


def _draw(generator: np.random.Generator) -> Directions:
    return USED[generator.integers(len(USED))]


def _ratio(case: Directions) -> float:
    quantile = law(case.projections, case.dimension, POINTS).quantile(case.tail)[1]
    return quantile / sliced_tails.bernstein(case.projections, case.dimension, case.tail)


def _plain(case: Directions) -> float:
    k, d, log_term = case.projections, case.dimension, -math.log(case.tail)
    w = k / d + 2 / 3 * log_term + 2 / d * math.sqrt(k * (d - 1) / (d + 2) * log_term)
    return beyond(k, d, w) / case.tail


def _a_tenth(case: Directions) -> float:
    return 10 * _ratio(case)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Lemma 2, for images",
    place="Section 3.1, equations 5 and 6, at the k, d and δ of Table 4",
    statement="the bound w(k, δ) of Lemma 2 is at least the quantile that it bounds, for the images' k, d and δ",
    formula="quantile of H at 1 - δ ≤ w(k, δ), d = 784, k = 200 or 1000, δ = 1e-5",
    compared="quantile of H at 1 - δ / w(k, δ)",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_a_tenth,
    usual=10,
    few=10,
)
