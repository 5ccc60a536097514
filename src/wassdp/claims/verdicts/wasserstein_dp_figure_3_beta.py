"""WDP Effect of β and δ: "ε decreases quickly when β is less than 10, while very slowly when it is greater than 10".

Read as: per unit of β, ε falls less beyond 10 than before it, by a factor of ten at least.
"""

from __future__ import annotations

import math

import numpy as np

from wassdp.accounting.accountants.published.wasserstein import tail_bound
from wassdp.claims.inequality import Inequality

TOTAL = 10.0  # the sum of the losses in Figure 3


def _drawn(generator: np.random.Generator) -> float:
    return float(generator.choice([1e-10, 1e-8, 1e-5, 1e-3]))


def _fall(delta: float, start: float, end: float) -> float:
    """By how much ε falls per unit of β."""
    return (tail_bound(TOTAL, delta, start) - tail_bound(TOTAL, delta, end)) / (end - start)


def _ratio(delta: float) -> float:
    return 10 * _fall(delta, 10.0, 50.0) / _fall(delta, 1.0, 10.0)


def _verified(delta: float) -> float:
    """The term is log(1/δ)/β, whose mean slope between a and b is log(1/δ)/(ab)."""
    return 10 * (math.log(1 / delta) / 500) / (math.log(1 / delta) / 10)


def _at_five(delta: float) -> float:
    """With 5 in place of 10, and a hundredth of the slope in place of a tenth."""
    return 100 * _fall(delta, 5.0, 50.0) / _fall(delta, 1.0, 5.0)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Figure 3(a)",
    place="Experiments, Effect of β and δ",
    statement="the budget decreases quickly when β is less than 10, very slowly when it is greater",
    formula="(ε(10) − ε(50))/40 ≤ 1/10 (ε(1) − ε(10))/9, ε(β) = Σ_t W_t − log(δ)/β",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_at_five,
    usual=20,
    few=10,
)
