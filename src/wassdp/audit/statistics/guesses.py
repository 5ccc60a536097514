"""Guesses about the canaries of one run, the surest of them: how many were made, and how many were right."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.numerics import exact
from wassdp.audit.bound import Estimate
from wassdp.audit.rescaled import rescaled
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import family
from wassdp.audit.statistics.curve import Curve, curve

_FURTHEST, _CLOSE = 8.0, 1e-3
"""Natural logarithms: how much smaller or larger the noise may be, and how closely the least one is found."""


@dataclass(frozen=True)
class Guesses:
    """How many canaries an attacker guesses, fixed beforehand, and how many of these guesses were right.

    Args:
        canaries: m, all that could have been guessed.
        made: r, at most m.
        right: v, at most r.

    Raises:
        ValueError: they do not ascend from right to canaries.
    """

    canaries: int
    made: int
    right: int

    def __post_init__(self) -> None:
        checks.whole("canaries", self.canaries, least=1)
        if not 0 <= checks.whole("right", self.right) <= checks.whole("made", self.made) <= self.canaries:
            raise ValueError(f"right = {self.right}, made = {self.made}: must ascend to at most {self.canaries}")


def least_rejected(rejected: Callable[[float], bool]) -> float | None:
    """The least noise that guesses reject, as a factor of what was stated; None where they reject none.

    Args:
        rejected: whether so much noise is; with some noise, all that is larger.
    """
    if not rejected(math.exp(_FURTHEST)):
        return None
    low, high = -_FURTHEST, _FURTHEST
    while high - low > _CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if rejected(math.exp(middle)) else (middle, high)
    return math.exp(high)


def through_family(
    scores: Scores,
    event: Event,
    rejected: Callable[[Curve, Guesses, float], bool],
    *,
    delta: float,
    confidence: float,
    share: float,
    words: Callable[[Guesses], str],
    source: str,
) -> Estimate:
    """The ε of the event with the least noise whose curve the surest guesses reject; 0 where they reject none.

    Args:
        scores: of the included and of the excluded canaries of one run; best are logarithms of likelihood ratios.
        event: what the run released of one canary; its noise is not believed.
        rejected: whether guesses are too good for every run with a curve, at a confidence.
        delta: in (0, 1).
        confidence: one-sided, in (0, 1).
        share: of the canaries that are guessed, fixed beforehand, in (0, 1].
        words: the guesses as the statistic of the bound.
        source: of the test.

    Raises:
        ValueError: an argument is outside its range, or the event is no family of curves.
    """
    fit = family.bound(scores, event=event, delta=delta, confidence=confidence).fit
    seen = surest(scores, share)
    noise = least_rejected(lambda ratio: rejected(curve(rescaled(event, ratio)), seen, confidence))
    return Estimate(
        epsilon=0.0 if noise is None else exact.epsilon(rescaled(event, noise), delta).lower,
        delta=delta,
        confidence=confidence,
        basis="family-based",
        statistic=words(seen),
        trials=seen.canaries,
        source=source,
        fit=fit,
    )


def surest(scores: Scores, share: float) -> Guesses:
    """The canaries whose scores are farthest from 0, guessed to be included where that is above 0.

    Among equal scores wrong guesses come first: where they stand follows the coins, so that no fixed order is one of
    chance, and with fewer right guesses no bound is larger.

    Args:
        scores: of included and of excluded canaries; they should be logarithms of likelihood ratios, any others cost
            power alone.
        share: of the canaries that are guessed, fixed without looking at them, in (0, 1].

    Raises:
        ValueError: the share is out of range.
    """
    if checks.probability("guesses", share) == 0:
        raise ValueError("guesses = 0: must be above 0")
    both = np.concatenate((scores.present, scores.absent))
    included = np.arange(both.size) < scores.present.size
    made = max(1, round(share * both.size))
    right = (both > 0) == included
    order = np.lexsort((right, -np.abs(both)))[:made]
    return Guesses(both.size, made, int(np.count_nonzero(right[order])))
