"""WDP Effect of β and δ: "ε seems to be decreasing uniformly with the exponential growth of delta"."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wassdp.accounting.accountants.published.wasserstein import tail_bound
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart

TOTAL = 10.0  # the sum of the losses in Figure 3


@dataclass(frozen=True)
class Point:
    """A place in Figure 3(b)."""

    beta: float
    delta: float


def _drawn(generator: np.random.Generator) -> Point:
    return Point(float(generator.choice([1.0, 2.0, 5.0, 10.0])), float(10 ** generator.uniform(-10, -6)))


def _ratio(found: Point) -> float:
    first, second, third = (tail_bound(TOTAL, found.delta * factor, found.beta) for factor in (1, 3, 9))
    return apart(first - second, second - third)


def _verified(found: Point) -> float:
    falls = [math.log(3 * found.delta) - math.log(found.delta), math.log(9 * found.delta) - math.log(3 * found.delta)]
    return max(falls) / min(falls)


def _linear(found: Point) -> float:
    """As δ grows by equal amounts."""
    first, second, third = (tail_bound(TOTAL, found.delta * factor, found.beta) for factor in (1, 2, 3))
    return apart(first - second, second - third)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Figure 3(b)",
    place="Experiments, Effect of β and δ",
    statement="the budget decreases uniformly with the exponential growth of δ",
    formula="ε(δ) − ε(3δ) = ε(3δ) − ε(9δ), ε(δ) = Σ_t W_t − log(δ)/β",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_linear,
    usual=200,
    compared="larger / smaller of both falls",
)
