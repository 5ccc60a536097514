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
_ALIKE = 1e-12
"""Deviation below which values are alike but for rounding, relative to the largest value: a float has 2e-16 of it, and
a score is a sum of thousands of products."""


def alike(values: Vector, *, largest: float) -> bool:
    """Whether finite values vary by no more than the rounding of numbers as large as ``largest``.

    >>> alike(np.full(1000, 0.1), largest=0.1), alike(np.array([0.1, 0.1001]), largest=0.1)
    (True, False)
    """
    return float(values.std(dtype=float)) <= _ALIKE * largest


def anderson_darling(values: Vector) -> float | None:
    """p-value of the hypothesis that ``values`` are normal, of any mean and deviation.

    0 where some are not finite, or all of several are equal; otherwise None for fewer than eight: that is no test.

    Source: Stephens (1986), in D'Agostino and Stephens, *Goodness-of-Fit Techniques*, Table 4.9.
    """
    size = values.size
    if not np.isfinite(values).all() or (size > 1 and np.ptp(values) == 0):
        return 0.0
    if size < _LEAST:
        return None
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


def equal_variances(first: Vector, second: Vector) -> float | None:
    """p-value of the hypothesis that two groups of normal numbers have one variance: the F test, two-sided.

    None where a group has fewer than two, or neither varies.
    """
    if min(first.size, second.size) < 2 or np.ptp(first) == np.ptp(second) == 0:
        return None
    if not second.var() > 0:
        return 0.0
    ratio = float(first.var(ddof=1) / second.var(ddof=1))
    below = float(special.fdtr(first.size - 1, second.size - 1, ratio))
    return 2 * min(below, 1 - below)
