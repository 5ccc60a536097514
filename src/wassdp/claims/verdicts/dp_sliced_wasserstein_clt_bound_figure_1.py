"""SWD Section 3.1 on Figure 1: "the CLT bound is numerically far smaller than the Bernstein bound of Lemma 2".

Read as: less than half of it at the k and d of the figure, for δ of 0.1 and less. It is six times smaller at δ = 0.1,
and smaller still for less.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from wassdp.accounting.formulas import sliced_tails
from wassdp.claims.inequality import Inequality
from wassdp.claims.verdicts.dp_sliced_wasserstein_figure_1 import DIMENSION, PROJECTIONS, Tail

MANY = 10**7
TIMES = 2


def _draw(generator: np.random.Generator) -> Tail:
    return Tail(float(10 ** -generator.uniform(1, 10)))


def _over(projections: int, tail: float) -> float:
    bounds = (bound(projections, DIMENSION, tail) for bound in (sliced_tails.central_limit, sliced_tails.bernstein))
    central, bernstein = bounds
    return TIMES * central / bernstein


def _plain(case: Tail) -> float:
    k, d, log_term = PROJECTIONS, DIMENSION, math.log(1 / case.tail)
    variance = 2 * (d - 1) / (d * d * (d + 2))
    central = NormalDist(k / d, math.sqrt(k * variance)).inv_cdf(1 - case.tail)
    return TIMES * central / (k / d + 2 * log_term / 3 + math.sqrt(2 * k * variance * log_term))


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="CLT bound, Figure 1",
    place="Section 3.1, last sentence before Proposition 2",
    statement="at k = 200, d = 784 the CLT bound is far smaller than the Bernstein bound: less than half of it",
    formula="2 w_CLT(k, δ) ≤ w_Bernstein(k, δ) for δ ≤ 0.1",
    compared="twice the CLT bound / Bernstein bound",
    draw=_draw,
    ratio=lambda case: _over(PROJECTIONS, case.tail),
    verified=_plain,
    corrupted=lambda case: _over(MANY, case.tail),
    usual=1000,
    few=100,
)
