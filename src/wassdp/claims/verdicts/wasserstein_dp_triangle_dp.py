"""WDP Discussion, triangle inequality, as to pure DP: that its loss is none of a metric.

The loss of pure DP between two data sets is the largest log-ratio of their outputs' probabilities, either way, for
neighbours come in both orders. log(p/r) = log(p/q) + log(q/r) at every output, so the largest obey the inequality; the
loss is symmetric, and 0 only for equal laws: a metric, with the value infinity.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from wassdp.claims.existence import Existence
from wassdp.claims.laws import quotient
from wassdp.claims.masses import Masses, draw


def _largest(found: Masses, one: int, other: int) -> float:
    """The larger of both directions' largest log-ratios."""
    return float(np.abs(np.log(found.weights[one] / found.weights[other])).max())


def _ratio(found: Masses) -> float:
    return quotient(_largest(found, 0, 2), _largest(found, 0, 1) + _largest(found, 1, 2))


def _renyi(found: Masses) -> float:
    """Rényi divergences of order 2 instead."""

    def loss(one: int, other: int) -> float:
        return float(np.log(np.sum(found.weights[one] ** 2 / found.weights[other])))

    return quotient(loss(0, 2), loss(0, 1) + loss(1, 2))


def _plain(found: Masses) -> float:
    """Logarithms of exact quotients of the probabilities as they stand."""
    p, q, r = ([Fraction(float(weight)) for weight in law] for law in found.weights)

    def largest(one: list[Fraction], other: list[Fraction]) -> Fraction:
        return max(max(a / b, b / a) for a, b in zip(one, other, strict=True))

    left, right = largest(p, r), largest(p, q) * largest(q, r)
    return math.log1p(float(left - 1)) / math.log1p(float(right - 1)) if right > 1 else 0.0


CLAIM = Existence(
    paper="wasserstein-dp",
    item="Discussion, triangle inequality of DP",
    place="Advantages from Metric Property, first sentence, and Abstract",
    statement="the privacy loss of pure DP does not satisfy the triangle inequality",
    formula="max_o |log p(o)/r(o)| > max_o |log p(o)/q(o)| + max_o |log q(o)/r(o)| for some laws p, q, r",
    draw=lambda generator: draw(generator, laws=3),
    ratio=_ratio,
    corrupted=_renyi,
    verified=_plain,
    proof="log p/r = log p/q + log q/r at every output, so none can be above 1",
)
