"""Raw absolute moments of a Gaussian variable, in log space."""

from __future__ import annotations

import math

import mpmath
import numpy as np
from jaxtyping import Float
from scipy.special import gammaln, hyp1f1, logsumexp

from wassdp import checks


def log_absolute_moment(
    order: float, mean: Float[np.ndarray, "*shape"], variance: Float[np.ndarray, "*shape"]
) -> Float[np.ndarray, "*shape"]:
    r"""Logarithm of E|Z|^μ for Z ~ N(m, v), any real order.

    .. math:: E|Z|^\mu = (2v)^{\mu/2} \, \Gamma(\tfrac{\mu+1}{2}) / \sqrt\pi
              \; {}_1F_1(-\tfrac\mu2; \tfrac12; -\tfrac{m^2}{2v})

    Args:
        order: μ, at least 1.
        mean: m, any shape.
        variance: v >= 0, same shape, squared unit of ``mean``.

    Returns:
        log E|Z|^μ, same shape; minus infinity where m = v = 0.

    Raises:
        ValueError: the order is below 1, a mean is not finite or a variance not finite and at least 0.

    Source: Yang, Qi and Zhou (2024), Lemma 1 (equation 12); Winkelbauer (2012), equation 17.

    >>> float(np.exp(log_absolute_moment(4, np.array(0.0), np.array(1.0))).round(12))
    3.0
    """
    checks.at_least("order", order, 1)
    if not np.isfinite(mean).all():
        raise ValueError("mean: must be finite")
    if not (np.isfinite(variance).all() and (variance >= 0).all()):
        raise ValueError("variance: must be finite and at least 0")
    m, v = np.broadcast_arrays(np.abs(mean).astype(float), variance.astype(float))
    # Where m^2/(2v) overflows, v is below the rounding of m^2 and Z is a constant to every digit.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result = np.array(order * np.log(m))  # v = 0: the moment of a constant
        x = np.where(v > 0, (m / np.sqrt(2 * v)) ** 2, np.inf)
    spread = np.isfinite(x)
    scale = order / 2 * np.log(2 * v[spread]) + gammaln((order + 1) / 2) - math.log(math.pi) / 2
    result[spread] = scale + log_kummer(order, x[spread])
    return result


def log_kummer(order: float, x: Float[np.ndarray, " points"]) -> Float[np.ndarray, " points"]:
    r"""Logarithm of ₁F₁(−μ/2; 1/2; −x) for x >= 0, whatever its size.

    For even μ the series ends after μ/2 + 1 positive terms and is summed in log space. Otherwise
    SciPy's function is used, and mpmath where that overflows, fails or is not positive.
    """
    if order % 2 == 0:
        n = np.arange(order // 2 + 1)
        # (-μ/2)_n (-x)^n = (μ/2)! / (μ/2 - n)! x^n, so every term is positive.
        rising = gammaln(n + 0.5) - gammaln(0.5)
        coefficients = gammaln(order / 2 + 1) - gammaln(order / 2 - n + 1) - rising - gammaln(n + 1)
        with np.errstate(divide="ignore"):
            powers = np.where(n == 0, 0.0, n * np.log(np.where(n == 0, 1.0, x[:, None])))
        return np.asarray(logsumexp(coefficients + powers, axis=1))
    with np.errstate(all="ignore"):
        value = hyp1f1(-order / 2, 0.5, -x)
    # Kummer's function is at least 1 here (the absolute moment grows with |m|); less is a failure of the routine.
    failed = ~np.isfinite(value) | (value < 1)
    result = np.log(np.where(failed, 1.0, value))
    result[failed] = [_log_kummer_exactly(order, point) for point in x[failed]]
    return np.asarray(result)


def _log_kummer_exactly(order: float, x: float) -> float:
    with mpmath.workdps(40):
        return float(mpmath.log(mpmath.hyp1f1(-mpmath.mpf(order) / 2, mpmath.mpf(1) / 2, -mpmath.mpf(x))))
