"""SWD's bound by the central limit theorem.

The paper calls it "not rigorous due to the CLT approximation", and gives k > 30 as the rule of thumb: it is tested
inside that rule. H is skewed to the right, so that its tail is heavier than the normal one.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from wassdp.accounting.formulas import sliced_tails
from wassdp.claims.inequality import Inequality
from wassdp.claims.projections import Directions, beyond, draw, law, simpler

LEAST = 31


def _draw(generator: np.random.Generator) -> Directions:
    return draw(generator, least=LEAST)


def _ratio(case: Directions) -> float:
    w = sliced_tails.central_limit(case.projections, case.dimension, case.tail)
    return law(case.projections, case.dimension).exceeded(w)[0] / case.tail


def _plain(case: Directions) -> float:
    k, d = case.projections, case.dimension
    variance = 2 * (d - 1) / (d**2 * (d + 2))
    normal = NormalDist(k / d, (k * variance) ** 0.5)
    w = normal.inv_cdf(1 - case.tail)
    return beyond(k, d, w) / case.tail if w < k else 0.0


def _bernstein(case: Directions) -> float:
    w = sliced_tails.bernstein(case.projections, case.dimension, case.tail)
    return law(case.projections, case.dimension).exceeded(w)[0] / case.tail


def _simpler(case: Directions) -> Iterator[Directions]:
    return simpler(case, least=LEAST)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="CLT bound",
    place="Section 3.1, after Lemma 2; proof in Section 8.3",
    statement="for k > 30 directions the squared sensitivity exceeds the normal quantile with probability at most δ",
    formula="P(H > k/d + (z/d) √(2k (d-1)/(d+2))) ≤ δ, z = Φ⁻¹(1 - δ), k > 30",
    compared="P(H > w) / δ",
    note="The paper says of this bound itself that it 'is not rigorous due to the CLT approximation'",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_bernstein,
    simpler=_simpler,
    usual=2000,
    few=40,
)
