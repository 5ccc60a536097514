r"""An attacker's two errors at one threshold, put to the test against a trade-off curve. Nothing is assumed.

With a = P(absent > t), b = P(present ≤ t), counts X ~ Bin(m, a) and Y ~ Bin(n, b) on independent trials and a claim
b ≥ f(a), f falling, Clopper and Pearson's tail probabilities

.. math:: u_1 = P(\mathrm{Bin}(m, a) ≤ X), \qquad u_2 = P(\mathrm{Bin}(n, f(a)) ≤ Y)

are each at most u with probability at most u. So z_i = Φ^{-1}(1 - u_i) are at most as large as independent standard
normal variables, and so is w_1 z_1 + w_2 z_2 with w_1² + w_2² = 1 fixed beforehand, as long as both are above -c:

.. math:: p = 2Φ(-c) + \sup_{a ∈ [0, 1]} Φ\big(-w_1 \max(z_1, -c) - w_2 \max(z_2, -c)\big)

is a p-value of the claim. The supremum is taken over cells, on each from above.

Source: Clopper and Pearson (1934); Stouffer et al. (1949) for the weighted sum; Dong, Roth and Su (2022),
arXiv:1905.02383, Section 2, for what a curve claims.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import special

from wassdp.audit.scores import Scores
from wassdp.audit.statistics import proportion
from wassdp.audit.statistics.curve import Curve
from wassdp.audit.statistics.thresholds import Cuts

_CELLS, _TRIED = 1500, 64
_LEAST_WEIGHT = 0.2
"""So that neither error is left out: what is left out bounds nothing, where the other is as it may be."""
_CERTAIN = 37.0
"""The largest z that a float can tell from infinity."""
_ROUNDING = 1e-7
"""Relative error of tail probabilities, at most."""

Rates = Float[np.ndarray, " rates"]


@dataclass(frozen=True)
class ErrorPlan:
    """What was fixed on other trials: where to cut, and how much either error weighs.

    Args:
        threshold: t.
        weight: w_1² in (0, 1), of false positives.
    """

    threshold: float
    weight: float


@dataclass(frozen=True)
class Counts:
    """What was counted at the threshold of a plan.

    Args:
        false_positives: X of ``absent`` trials.
        false_negatives: Y of ``present`` trials.
    """

    false_positives: int
    absent: int
    false_negatives: int
    present: int


def counted(scores: Scores, threshold: float) -> Counts:
    """Errors of who accuses above the threshold."""
    return Counts(
        int(np.count_nonzero(scores.absent > threshold)),
        scores.absent.size,
        int(np.count_nonzero(scores.present <= threshold)),
        scores.present.size,
    )


def plan(cuts: Cuts, curve: Curve, *, absent: int, present: int) -> ErrorPlan:
    r"""The cut at which so many trials are expected to contradict ``curve`` most clearly.

    .. math:: \max_t \min_a \; m \, \mathrm{KL}(\hat a_t ‖ a) + n \, \mathrm{KL}(\hat b_t ‖ f(a))
    """
    a, b = cuts.false_positives[:, None], cuts.false_negatives[:, None]
    grid = np.concatenate((np.geomspace(1e-15, 1e-2, 700), np.linspace(1e-2, 1, 700)[1:]))
    heights = curve.false_negatives(grid)
    # From â up to where the curve is as low as b̂.
    last = np.interp(-b[:, 0], -heights, grid)
    high = np.maximum(last[:, None], a)
    low = np.maximum(a, 1e-15)
    shares = np.linspace(0, 1, _TRIED)
    tried = np.where(shares < 0.5, a + (high - a) * shares * 2, low * (np.maximum(high, low) / low) ** (2 * shares - 1))
    reached = np.interp(tried, grid, heights)
    first = absent * _divergence(a, tried)
    second = np.where(reached > b, present * _divergence(b, reached), 0.0)
    total = np.where(reached[:, :1] > b, first + second, 0.0)
    worst = np.argmin(total, axis=1)
    rows = np.arange(worst.size)
    best = int(np.argmax(total[rows, worst]))
    whole = float(total[best, worst[best]])
    share = float(first[best, worst[best]]) / whole if whole > 0 else 0.5
    return ErrorPlan(float(cuts.thresholds[best]), min(max(share, _LEAST_WEIGHT), 1 - _LEAST_WEIGHT))


def p_value(curve: Curve, plan: ErrorPlan, counts: Counts, *, floor: float) -> float:
    """How likely counts as good for the attacker are at most, if the claim holds.

    Args:
        curve: the claim.
        plan: fixed on other trials.
        counts: of these.
        floor: 2Φ(-c), the least value, in (0, 1).
    """
    c = -float(special.ndtri(floor / 2))
    m, x, n, y = counts.absent, counts.false_positives, counts.present, counts.false_negatives
    low = float(proportion.lower(x, m, 1e-9)) if x else 1e-3 / m
    span = special.expit(np.linspace(special.logit(low), 40.0, _CELLS))
    edges = np.concatenate(([0.0], span, [1.0]))
    first = _deviate(_tail(x, m, edges[:-1]), c)
    second = _deviate(_tail(y, n, curve.false_negatives(edges[1:])), c)
    weight = plan.weight
    least = float((math.sqrt(weight) * first + math.sqrt(1 - weight) * second).min())
    return min(1.0, floor + float(special.ndtr(-least)) * (1 + _ROUNDING))


def _tail(count: int, trials: int, rates: Rates) -> Rates:
    """P(Bin(trials, rate) ≤ count) for each rate."""
    if count >= trials:
        return np.ones(rates.size)
    return np.asarray(special.betaincc(count + 1, trials - count, rates))


def _deviate(tail: Rates, c: float) -> Rates:
    return np.asarray(np.clip(-special.ndtri(np.minimum(tail * (1 + _ROUNDING), 1.0)), -c, _CERTAIN))


def _divergence(observed: np.ndarray, claimed: np.ndarray) -> np.ndarray:
    """KL divergence of two coins."""
    other = np.maximum(1 - claimed, 1e-300)
    return np.asarray(special.rel_entr(observed, np.maximum(claimed, 1e-300)) + special.rel_entr(1 - observed, other))
