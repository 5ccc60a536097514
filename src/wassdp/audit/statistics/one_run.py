r"""A lower bound on ε from one run: how many guesses about many canaries are right. Nothing is assumed.

Each of m canaries is a record or is not by a fair coin of its own. The attacker sees what was released, guesses r of
the coins and leaves the others. Were the run (ε, δ) differentially private, then for the number W of right guesses

.. math:: P(W ≥ v) ≤ P(\check W ≥ v) + 2 m δ \max_{i ≥ 1} \frac{P(v > \check W ≥ v - i)}{i},
    \qquad \check W \sim \mathrm{Bin}\Big(r, \frac{e^ε}{e^ε + 1}\Big),

whatever binds the canaries together, for a number r that is fixed. Which coins are guessed may depend on all that was
released, never on a coin: here they are chosen as if scores were logarithms of likelihood ratios, of which a guess is
right with probability 1 / (1 + e^{-|s|}). If they are none, that costs power alone.

So may r, with care. Given what was released, the first term holds as it stands, and the second times the number of
coins that δ gives away, which is 2 m δ on average. An attacker's r might be another where there are such, so that the
two terms must not be traded against each other: both are kept below (1 - confidence) / (1 + 2 m δ).

Source: Steinke, Nasr and Jagielski (2023), Privacy Auditing with One (1) Training Run, arXiv:2305.08846, Theorem 5.2.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from jaxtyping import Float
from scipy import special, stats

from wassdp import checks
from wassdp.audit.bound import Estimate
from wassdp.audit.scores import Scores

SOURCE = "Steinke, Nasr and Jagielski (2023), arXiv:2305.08846, Theorem 5.2"
LARGEST = 40.0
"""ε that is looked at, at most."""
_TRIED, _ROUNDING = 32, 1e-9
_HALVINGS, _ROUGHLY = 50, 12
"""Of the interval of ε: for a bound, and for what is only promised."""
_LUCK = 1.0
"""Standard deviations of right guesses below their expectation at which a number of guesses is to promise most. The
promise hardly falls beyond its best number, and how far it is missed by chance does."""


def bound(scores: Scores, *, delta: float, confidence: float = 0.95) -> Estimate:
    """The bound, 0 where nothing can be said.

    Args:
        scores: of the canaries that are records, and of those that are not; best are logarithms of likelihood ratios.
        delta: in [0, 1).
        confidence: one-sided, in (0, 1).

    Raises:
        ValueError: an argument is outside its range.

    >>> certain = Scores(np.full(500, 9.0), np.full(500, -9.0))
    >>> round(bound(certain, delta=1e-5).epsilon, 2)
    4.25
    """
    checks.open_unit("confidence", confidence)
    if not 0 <= checks.finite("delta", delta) < 1:
        raise ValueError(f"delta = {delta!r}: must be in [0, 1)")
    canaries, level = scores.trials, 1 - confidence
    both = np.concatenate([scores.present, scores.absent])
    guesses = _number(np.abs(both), canaries=canaries, delta=delta, level=level)
    # The clearest ones; among equals, which no coin may choose, the wrong ones first, which bounds the least.
    correct = (both > 0) == (np.arange(canaries) < scores.present.size)
    right = int(np.count_nonzero(correct[np.lexsort((correct, -np.abs(both)))[:guesses]]))
    return Estimate(
        epsilon=_largest_rejected(right, guesses, canaries=canaries, delta=delta, level=level),
        delta=delta,
        confidence=confidence,
        basis="distribution-free",
        statistic=f"{right:,} of {guesses:,} guesses about {canaries:,} canaries are right",
        trials=canaries,
        source=SOURCE,
    )


def p_value(right: int, guesses: int, epsilon: float, *, canaries: int, delta: float) -> float:
    """How likely as many right guesses are at most, if the run is (ε, δ) differentially private and r was fixed.

    Args:
        right: v, at most ``guesses``.
        guesses: r, at most ``canaries``.
        epsilon: at least 0.
        canaries: m.
        delta: in [0, 1).
    """
    at_least, slack = _terms(right, guesses, epsilon)
    return min(1.0, (at_least + 2 * canaries * delta * slack) * (1 + _ROUNDING))


def _terms(right: int, guesses: int, epsilon: float) -> tuple[float, float]:
    """Both terms of the theorem, the second without its 2 m δ."""
    chance = float(special.expit(epsilon))
    at_least = float(stats.binom.sf(right - 1, guesses, chance))
    if right == 0:
        return at_least, 0.0
    below = np.cumsum(stats.binom.pmf(np.arange(right - 1, -1, -1), guesses, chance))
    return at_least, float((below / np.arange(1, right + 1)).max())


def _largest_rejected(
    right: int, guesses: int, *, canaries: int, delta: float, level: float, halvings: int = _HALVINGS
) -> float:
    """What is rejected is rejected with every smaller ε, which would imply it."""
    most = level / (1 + 2 * canaries * delta) / (1 + _ROUNDING)

    def rejected(epsilon: float) -> bool:
        at_least, slack = _terms(right, guesses, epsilon)
        return at_least <= most and (delta == 0 or slack <= most)

    if guesses == 0 or not rejected(0.0):
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return low


def _number(clearness: Float[np.ndarray, " canaries"], *, canaries: int, delta: float, level: float) -> int:
    """How many guesses promise the largest bound, with less luck than is to be expected."""
    chances = special.expit(np.sort(clearness)[::-1])
    pessimistic = np.cumsum(chances) - _LUCK * np.sqrt(np.cumsum(chances * (1 - chances)))
    tried = np.unique(np.geomspace(1, canaries, _TRIED).astype(np.int64))
    promise = functools.partial(_largest_rejected, canaries=canaries, delta=delta, level=level, halvings=_ROUGHLY)
    promised = [promise(max(0, math.floor(pessimistic[count - 1])), int(count)) for count in tried]
    return int(tried[int(np.argmax(promised))])
