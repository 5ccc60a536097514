"""Exact one-sided limits of a probability, from how often something happened (Clopper and Pearson).

Each limit is confirmed by the tail probability itself, whose rounding is allowed for in the safe direction
(`wassdp.audit.statistics.inverse`).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy import special

from wassdp.audit.statistics.inverse import Height, around

Numbers = Float[np.ndarray, "..."] | float | int
_MARGIN = 1e-7
"""Relative distance of a limit from the quantile, at most; tests compare with many digits."""
_ROUNDING, _ROUNDING_OF_A_TRIAL = 1e-10, 1e-16
"""Relative error of a tail probability at most, and what each trial adds to it: 1 - p is a float, too."""


def lower(count: Numbers, trials: Numbers, level: Numbers) -> Float[np.ndarray, ...]:
    """What a probability is not below, except with probability ``level``: P(Bin(n, p) ≥ k) = level.

    Args:
        count: k; between two whole numbers it interpolates, for what is only expected. Below 1 it is unconfirmed.
        trials: n.
        level: one-sided, in (0, 1).

    Source: Clopper and Pearson (1934), Biometrika 26, pages 404 to 413.

    >>> round(float(lower(0, 10, 0.05)), 6), round(float(lower(10, 10, 0.05)), 6)
    (0.0, 0.741134)
    """
    counts, numbers, levels = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (count, trials, level)))
    guess = np.asarray(special.betaincinv(np.maximum(counts, 1e-12), numbers - counts + 1, levels))
    low = np.asarray(guess * (1 - _MARGIN))
    # A count below 1 was not counted, and its tail hardly depends on the rate.
    seen = counts >= 1
    low[seen] = _confirmed(_short, guess, counts, numbers, levels, where=seen)[0]
    return np.asarray(np.where(counts > 0, low, 0.0))


def upper(count: Numbers, trials: Numbers, level: Numbers) -> Float[np.ndarray, ...]:
    """What a probability is not above, except with probability ``level``: P(Bin(n, p) ≤ k) = level.

    Args, Source: as for `lower`.

    >>> round(float(upper(0, 10, 0.05)), 6), round(float(upper(10, 10, 0.05)), 6)
    (0.258866, 1.0)
    """
    counts, numbers, levels = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (count, trials, level)))
    guess = np.asarray(special.betainccinv(counts + 1, np.maximum(numbers - counts, 1e-12), levels))
    high = np.ones(guess.shape)
    some = counts < numbers
    high[some] = _confirmed(_excess, guess, counts, numbers, levels, where=some)[1]
    return high


def _confirmed(height: Height, guess: np.ndarray, *parameters: np.ndarray, where: np.ndarray) -> tuple[np.ndarray, ...]:
    return around(height, guess[where], *(each[where] for each in parameters), margin=_MARGIN, most=1.0)


def _short(rate: np.ndarray, count: np.ndarray, trials: np.ndarray, level: np.ndarray) -> np.ndarray:
    """By how much P(Bin(n, rate) ≥ k) is below the level, at least."""
    return np.asarray(level - special.betainc(count, trials - count + 1, rate) * _rounded(trials))


def _excess(rate: np.ndarray, count: np.ndarray, trials: np.ndarray, level: np.ndarray) -> np.ndarray:
    """By how much P(Bin(n, rate) ≤ k) is above the level, at most."""
    return np.asarray(special.betaincc(count + 1, trials - count, rate) * _rounded(trials) - level)


def _rounded(trials: np.ndarray) -> np.ndarray:
    """What a tail probability is multiplied by, so that it is not below the true one."""
    return np.asarray(1 + _ROUNDING + _ROUNDING_OF_A_TRIAL * trials)
