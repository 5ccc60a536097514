"""Exact one-sided limits of a probability, from how often something happened (Clopper and Pearson)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy import special

Numbers = Float[np.ndarray, "..."] | float | int
_ROUNDING = 1e-7
"""Relative error of a quantile, at most; tests compare with many digits."""


def lower(count: Numbers, trials: Numbers, level: Numbers) -> Float[np.ndarray, ...]:
    """What a probability is not below, except with probability ``level``: P(Bin(n, p) ≥ k) = level.

    Args:
        count: k; between two whole numbers it interpolates, for what is only expected.
        trials: n.
        level: one-sided, in (0, 1).

    Source: Clopper and Pearson (1934), Biometrika 26, pages 404 to 413.

    >>> round(float(lower(0, 10, 0.05)), 6), round(float(lower(10, 10, 0.05)), 6)
    (0.0, 0.741134)
    """
    counts, numbers, levels = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (count, trials, level)))
    limit = special.betaincinv(np.maximum(counts, 1e-12), numbers - counts + 1, levels)
    return np.asarray(np.where(counts > 0, limit * (1 - _ROUNDING), 0.0))


def upper(count: Numbers, trials: Numbers, level: Numbers) -> Float[np.ndarray, ...]:
    """What a probability is not above, except with probability ``level``: P(Bin(n, p) ≤ k) = level.

    Args, Source: as for `lower`.

    >>> round(float(upper(0, 10, 0.05)), 6), round(float(upper(10, 10, 0.05)), 6)
    (0.258866, 1.0)
    """
    counts, numbers, levels = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (count, trials, level)))
    limit = special.betainccinv(counts + 1, np.maximum(numbers - counts, 1e-12), levels)
    return np.asarray(np.where(counts < numbers, np.minimum(limit * (1 + _ROUNDING), 1.0), 1.0))
