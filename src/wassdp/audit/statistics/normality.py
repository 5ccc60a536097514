"""Whether numbers are normal, and whether two groups of them vary alike: the fit of families with Gaussian noise."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy import special

Vector = Float[np.ndarray, " _"]
_PIECES = (
    (0.2, 1.0, (-13.436, 101.14, -223.73)),
    (0.34, 1.0, (-8.318, 42.796, -59.938)),
    (0.6, 0.0, (0.9177, -4.279, -1.38)),
    (np.inf, 0.0, (1.2937, -5.709, 0.0186)),
)
"""Upper ends of A*², and what the p-value is there: |c - exp(polynomial)|."""
_LEAST = 8


def anderson_darling(values: Vector) -> float:
    """p-value of the hypothesis that ``values`` are normal, of any mean and deviation; 1 for fewer than eight.

    Source: Stephens (1986), in D'Agostino and Stephens, *Goodness-of-Fit Techniques*, Table 4.9.
    """
    size = values.size
    if size < _LEAST:
        return 1.0
    if not np.isfinite(values).all() or np.ptp(values) == 0:
        return 0.0
    z = (np.sort(values) - values.mean()) / values.std(ddof=1)
    places = 2 * np.arange(1, size + 1) - 1
    square = -size - float(np.mean(places * (special.log_ndtr(z) + special.log_ndtr(-z[::-1]))))
    square *= 1 + 0.75 / size + 2.25 / size**2
    return anderson_darling_p_value(square)


def anderson_darling_p_value(square: float) -> float:
    """p-value of A*², the statistic as it is adjusted for the number of values.

    >>> round(anderson_darling_p_value(0.752), 3)
    0.05
    """
    one, (constant, linear, quadratic) = next((one, terms) for end, one, terms in _PIECES if square < end)
    # Beyond, the polynomial rises again; there nothing is left of it.
    square = min(square, 150.0)
    return float(np.clip(abs(one - np.exp(constant + linear * square + quadratic * square**2)), 0.0, 1.0))


def equal_variances(first: Vector, second: Vector) -> float:
    """p-value of the hypothesis that two groups of normal numbers have one variance: the F test, two-sided."""
    if min(first.size, second.size) < 2 or not second.var() > 0:
        return 1.0 if np.ptp(first) == np.ptp(second) else 0.0
    ratio = float(first.var(ddof=1) / second.var(ddof=1))
    below = float(special.fdtr(first.size - 1, second.size - 1, ratio))
    return 2 * min(below, 1 - below)
