"""Logarithms of quantities that are differences of nearly equal numbers, without the difference; and rounding up.

A privacy loss of 1e-8, released 1e12 times, is lost where e^x - 1 is written as a difference: every function here is
a sum of positive terms, to a relative error of a few units in the last place of what the logarithm is taken of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

UNIT = 2.0**-53
"""Relative error of one rounding."""
LEAST = 1e-300
"""What a loss that is not zero is rounded up to: below it numbers lose their digits."""


def log_expm1(x: NDArray[Any]) -> NDArray[Any]:
    """Log(e^x - 1) for x ≥ 0: -∞ at 0, ∞ at infinity.

    >>> log_expm1(np.array([1e-200, 1.0, 1e4])).round(6).tolist()
    [-460.517019, 0.541325, 10000.0]
    """
    with np.errstate(divide="ignore", under="ignore"):
        large, near = x + np.log1p(-np.exp(-np.maximum(x, 30))), np.log(np.expm1(np.minimum(x, 30)))
    return np.asarray(np.where(x > 30, large, near))


def log_expm2(x: NDArray[Any]) -> NDArray[Any]:
    """Log(e^x - 1 - x) for any real x: -∞ at 0.

    >>> log_expm2(np.array([-1e-8, 1.0, 1e4])).round(6).tolist()
    [-37.534509, -0.330893, 10000.0]
    """
    near = np.clip(x, -0.5, 0.5)
    # x²/2 · (1 + x/3 (1 + x/4 (1 + ...))): fifteen factors leave less than 1e-19.
    series = np.ones(np.shape(x))
    for divisor in range(17, 2, -1):
        series = 1 + near / divisor * series
    inside = np.clip(x, -1e300, 30)
    with np.errstate(divide="ignore", under="ignore", invalid="ignore"):
        small = 2 * np.log(np.abs(near)) - np.log(2) + np.log(series)
        middle = np.log(np.expm1(inside) - inside)
        large = x + np.log1p(-(1 + np.minimum(x, 1e300)) * np.exp(-np.maximum(x, 30)))
    return np.where(np.abs(x) <= 0.5, small, np.where(x > 30, np.where(np.isinf(x), x, large), middle))


def rounded_up(value: NDArray[Any], magnitude: NDArray[Any] | float) -> NDArray[Any]:
    """``value`` plus the rounding error of the terms, of absolute sum ``magnitude``, that it was computed from.

    Every term may carry 16 roundings; infinities stay what they are.
    """
    with np.errstate(invalid="ignore"):
        slack = 16 * UNIT * (1 + np.abs(value) + magnitude)
        return np.where(np.isinf(value), value, value + slack)


def divergence(log_excess: NDArray[Any], orders: NDArray[Any]) -> NDArray[Any]:
    r"""Rényi divergence from the logarithm of its excess moment, rounded up, at least `LEAST`.

    .. math:: D_α = \frac{1}{α-1} \log(1 + x), \qquad x = E_Q[(P/Q)^α] - 1 ≥ 0

    Args:
        log_excess: an upper value of log x, for each order.
        orders: α > 1, same shape.
    """
    with np.errstate(under="ignore"):
        divergences = np.logaddexp(0.0, log_excess) / (orders - 1)
    return np.asarray(np.maximum(divergences * (1 + 16 * UNIT), LEAST))
