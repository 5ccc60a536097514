r"""A lower bound on ε that assumes nothing: an attacker's two errors at a threshold fixed on other trials.

For every set S of scores, (ε, δ) differential privacy of the two worlds' laws P and Q says

.. math:: P(S) ≤ e^ε Q(S) + δ, \qquad Q(S^c) ≤ e^ε P(S^c) + δ

and the same with a worse ε for what follows from a release. With S = {score > t}, P(S) from below and Q(S) from above,

.. math:: ε ≥ \log\frac{\underline{P}(S) - δ}{\overline{Q}(S)}

The first part of the trials chooses the threshold, which of the two inequalities is put to the test, and how the
permitted error 1 - confidence is divided between the two limits. The rest is counted, once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.audit.bound import Estimate
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import proportion
from wassdp.audit.statistics.thresholds import Cuts, cuts

SOURCE = (
    "Clopper and Pearson (1934); Kairouz, Oh and Viswanath (2015), arXiv:1311.0776, Theorem 2.1; "
    "Nasr et al. (2021), arXiv:2101.04535, Section IV"
)
_SHARES = np.array([0.5, 0.7, 0.85, 0.95])
"""Shares of the permitted error that the upper limit may take."""


@dataclass(frozen=True)
class ThresholdPlan:
    """What is fixed before any trial is counted.

    Args:
        threshold: t.
        accuses: whether P(score > t) is put to the test; the other inequality if not.
        divided: share of the permitted error that the upper limit takes.
        origin: what it was fixed by, in words.
    """

    threshold: float
    accuses: bool
    divided: float
    origin: str = "on other trials"


def bound(scores: Scores, *, delta: float, confidence: float = 0.95, share: float = 0.5) -> Estimate:
    """The bound, 0 where nothing can be said.

    Args:
        scores: of both worlds, in the order of their independent trials.
        delta: in [0, 1).
        confidence: one-sided, of the whole procedure, in (0, 1).
        share: of either world's trials, taken from its beginning, on which the threshold is chosen.

    Raises:
        ValueError: an argument is outside its range, or a world has fewer than two trials.

    >>> certain = Scores(np.ones(1000), np.zeros(1000))
    >>> round(bound(certain, delta=1e-5).epsilon, 2)
    5.09
    """
    choose, count = scores.split(share)
    worlds = count.present, count.absent
    fixed = plan(cuts(choose), present=worlds[0].size, absent=worlds[1].size, delta=delta, confidence=confidence)
    present, absent = ((above(world, fixed.threshold), world.size) for world in worlds)
    return counted(fixed, present=present, absent=absent, delta=delta, confidence=confidence)


def above(scores: Float[np.ndarray, " scores"], threshold: float) -> int:
    """How many scores are larger."""
    return int(np.count_nonzero(scores > threshold))


def plan(
    found: Cuts, *, present: int, absent: int, delta: float, confidence: float, origin: str = "on other trials"
) -> ThresholdPlan:
    """What promises the largest bound.

    Args:
        found: thresholds with the errors to be expected there, told from trials that are not counted, or from theory.
        present: how many will be counted where the record is there.
        absent: and where it is not.
        delta: in [0, 1).
        confidence: in (0, 1).
        origin: whence the errors are known, in words.

    Raises:
        ValueError: an argument is outside its range.
    """
    checks.open_unit("confidence", confidence)
    if not 0 <= checks.finite("delta", delta) < 1:
        raise ValueError(f"delta = {delta!r}: must be in [0, 1)")
    permitted = 1 - confidence
    mirrored = Cuts(found.thresholds, found.false_negatives, found.false_positives)
    larger = _expected(found, present, absent, delta, permitted)
    smaller = _expected(mirrored, absent, present, delta, permitted)
    accuses = bool(larger.max() >= smaller.max())
    place, part = np.unravel_index(int(np.argmax(larger if accuses else smaller)), larger.shape)
    return ThresholdPlan(float(found.thresholds[place]), accuses, float(_SHARES[part]), origin)


def counted(
    fixed: ThresholdPlan, *, present: tuple[int, int], absent: tuple[int, int], delta: float, confidence: float
) -> Estimate:
    """The bound that counts give.

    Args:
        fixed: the plan.
        present: how many scores were above the threshold, and how many there were, where the record is there.
        absent: the same where it is not.
        delta: as for the plan.
        confidence: as for the plan.
    """
    permitted = 1 - confidence
    (right, seen), (wrong, mistaken) = present, absent
    if not fixed.accuses:
        right, seen, wrong, mistaken = mistaken - wrong, mistaken, seen - right, seen
    least = float(proportion.lower(right, seen, (1 - fixed.divided) * permitted)) - delta
    most = float(proportion.upper(wrong, mistaken, fixed.divided * permitted))
    side = "above" if fixed.accuses else "below"
    return Estimate(
        epsilon=max(0.0, float(np.log(least) - np.log(most)) * (1 - 1e-12)) if least > 0 else 0.0,
        delta=delta,
        confidence=confidence,
        basis="distribution-free",
        statistic=f"Clopper-Pearson at a threshold fixed {fixed.origin}, scores {side} it",
        trials=present[1] + absent[1],
        threshold=fixed.threshold,
        source=SOURCE,
    )


def _expected(found: Cuts, seen: int, mistaken: int, delta: float, permitted: float) -> np.ndarray:
    """The bound to be expected at each threshold, for each way to divide the permitted error; shape (cuts, ways)."""
    right, wrong = 1 - found.false_negatives[:, None], found.false_positives[:, None]
    least = proportion.lower(seen * right, seen, (1 - _SHARES) * permitted) - delta
    most = proportion.upper(mistaken * wrong, mistaken, _SHARES * permitted)
    return np.where(least > 0, np.log(np.maximum(least, 1e-300)) - np.log(most), -np.inf)
