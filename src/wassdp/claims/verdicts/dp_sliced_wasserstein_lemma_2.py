"""SWD Lemma 2.

The Bernstein bound is far above the quantile that it bounds where the probability is small: the ratio found / stated
says by how much.
"""

from __future__ import annotations

import math

from wassdp.accounting.formulas import sliced_tails
from wassdp.claims.inequality import Inequality
from wassdp.claims.projections import Directions, draw, law, simpler, surely_beyond


def _ratio(case: Directions) -> float:
    quantile = law(case.projections, case.dimension).quantile(case.tail)[1]
    return quantile / sliced_tails.bernstein(case.projections, case.dimension, case.tail)


def _plain(case: Directions) -> float:
    """The probability of more than w, by draws, over the one allowed."""
    k, d, log_term = case.projections, case.dimension, -math.log(case.tail)
    w = k / d + 2 / 3 * log_term + 2 / d * math.sqrt(k * (d - 1) / (d + 2) * log_term)
    return surely_beyond(k, d, w) / case.tail


def _without_linear_term(case: Directions) -> float:
    k, d, log_term = case.projections, case.dimension, -math.log(case.tail)
    stated = k / d + 2 / d * math.sqrt(k * (d - 1) / (d + 2) * log_term)
    return law(k, d).quantile(case.tail)[0] / stated


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Lemma 2",
    place="Section 3.1, equations 5 and 6; proof in Section 8.2",
    statement="the squared distance of two neighbours' projections exceeds w(k, δ) with probability at most δ",
    formula="P(H > k/d + (2/3) ln(1/δ) + (2/d) √(k (d-1)/(d+2) ln(1/δ))) ≤ δ, H = ‖Uᵀz‖², ‖z‖ = 1",
    compared="quantile of H at 1 - δ / w(k, δ)",
    draw=draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_without_linear_term,
    simpler=simpler,
    usual=2000,
    few=15,
)
