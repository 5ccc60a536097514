"""Budgets of the Laplace and Gaussian mechanisms: Table 1 as printed, and the exact values beside it.

"Exact" needs no accountant: the outputs on two neighbouring data sets are two translates of one
distribution, Δ apart.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import log_ndtr

from wassdp import checks

Mechanism = Literal["laplace", "gaussian"]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)
FAMILIES: dict[Mechanism, Any] = {"laplace": stats.laplace, "gaussian": stats.norm}
"""The noise of each as a distribution of scipy."""


def printed_pure(mechanism: Mechanism, scale: float) -> float:
    """Printed ε-DP budget at sensitivity 1: 1/λ for Laplace noise, infinite for Gaussian noise.

    Source: Mironov (2017), Table II; Yang, Qi and Zhou (2024), Table 1, row DP.
    """
    _check(mechanism, scale)
    return 1 / scale if mechanism == "laplace" else math.inf


def printed_renyi(mechanism: Mechanism, scale: float, order: float) -> float:
    r"""Printed Rényi divergence of order α at sensitivity 1.

    .. math:: \text{Laplace: } \tfrac1{\alpha-1} \log\Big\{\tfrac{\alpha}{2\alpha-1} e^{(\alpha-1)/\lambda}
              + \tfrac{\alpha-1}{2\alpha-1} e^{-\alpha/\lambda}\Big\}, \quad \text{Gaussian: } \alpha/(2\sigma^2)

    At α = 1 the Laplace value is 1/λ + e^{−1/λ} − 1.

    Raises:
        ValueError: the order is below 1 or the scale not above 0.

    Source: Mironov (2017), Propositions 6 and 7; Yang, Qi and Zhou (2024), Table 1, row RDP.

    >>> printed_renyi("gaussian", 2.0, 4.0)
    0.5
    """
    _check(mechanism, scale, order)
    if mechanism == "gaussian":
        return order / (2 * scale**2)
    if order == 1:
        return 1 / scale + math.expm1(-1 / scale)
    if (order - 1) / scale > 100:  # the second term is below e^-100 of the first, which may overflow
        return (math.log(order / (2 * order - 1)) + (order - 1) / scale) / (order - 1)
    # Written around 1: log1p keeps the digits that the quotient by α − 1 would lose near α = 1.
    grown = order * math.expm1((order - 1) / scale) + (order - 1) * math.expm1(-order / scale)
    return math.log1p(grown / (2 * order - 1)) / (order - 1)


def printed_wasserstein(mechanism: Mechanism, scale: float, order: float, *, sensitivity: float = 1.0) -> float:
    r"""Printed (μ, ε)-WDP budget of order μ.

    .. math:: \text{Laplace: } \tfrac12 \Delta \Big(\sqrt{2[1/\lambda + e^{-1/\lambda} - 1]}\Big)^{1/\mu},
              \quad \text{Gaussian: } \tfrac12 (\Delta/\sigma)^{1/\mu}

    The two print Δ at different places, as here. Exact: `exact_wasserstein`.

    Source: Yang, Qi and Zhou (2024), Propositions 7 and 8.

    >>> printed_wasserstein("gaussian", 1.0, 1.0)
    0.5
    >>> round(printed_wasserstein("laplace", 1.0, 1.0), 3)
    0.429
    """
    _check(mechanism, scale, order, sensitivity)
    if mechanism == "laplace":
        return float(sensitivity / 2 * math.sqrt(2 * printed_renyi("laplace", scale, 1.0)) ** (1 / order))
    return float((sensitivity / scale) ** (1 / order) / 2)


def exact_wasserstein(sensitivity: float) -> float:
    """W_μ between a distribution and itself moved by Δ: Δ, for every order, mechanism and scale.

    At most Δ by moving every point by Δ, at least Δ because the means differ by Δ.
    """
    return checks.positive("sensitivity", sensitivity)


def coupled_wasserstein(
    mechanism: Mechanism, scale: float, order: float, *, sensitivity: float = 1.0, points: int = 2000
) -> float:
    r"""W_μ computed from the two quantile functions, which no closed form enters.

    .. math:: W_\mu^\mu = \int_0^1 |F^{-1}(u) - G^{-1}(u)|^\mu \, du

    by the midpoint rule with ``points`` points.

    Source: Villani (2003), Theorem 2.18.
    """
    _check(mechanism, scale, order)
    family = FAMILIES[mechanism]
    u = (np.arange(checks.whole("points", points, least=1)) + 0.5) / points
    gaps = np.abs(family.ppf(u, loc=0.0, scale=scale) - family.ppf(u, loc=sensitivity, scale=scale))
    largest = float(gaps.max())
    return largest * float(np.mean((gaps / largest) ** order) ** (1 / order)) if largest > 0 else 0.0


def first_wasserstein(mechanism: Mechanism, scale: float, *, sensitivity: float = 1.0) -> float:
    r"""W_1 as the area between the two distribution functions, by quadrature.

    Source: Villani (2003), Remark 2.19 (iii).
    """
    _check(mechanism, scale, sensitivity=sensitivity)
    family = FAMILIES[mechanism]
    # Beyond 40 scales the gap is below e^-40.
    x, weights = _quadrature((-40 * scale, 0.0, sensitivity, sensitivity + 40 * scale), scale)
    gap = family.cdf(x, loc=0.0, scale=scale) - family.cdf(x, loc=sensitivity, scale=scale)
    return float(weights @ np.abs(gap))


def integrated_renyi(mechanism: Mechanism, scale: float, order: float) -> float:
    r"""Rényi divergence of order α at sensitivity 1 by quadrature of the two densities.

    .. math:: \tfrac1{\alpha-1} \log \int p^\alpha q^{1-\alpha}, \quad
              \text{at } \alpha = 1: \int p \log(p/q)

    Source: Mironov (2017), Definition 3.
    """
    _check(mechanism, scale, order)
    # Beyond 40 scales of its peaks, at 0, 1 and α, the integrand is below e^-40 of its largest value.
    x, weights = _quadrature((-40 * scale, 0.0, 1.0, order, order + 40 * scale), scale)
    # Minus the log densities, without the normalising constant.
    p, q = (
        np.abs(x - shift) / scale if mechanism == "laplace" else (x - shift) ** 2 / (2 * scale**2)
        for shift in (1.0, 0.0)
    )
    constant = 2 * scale if mechanism == "laplace" else scale * math.sqrt(2 * math.pi)
    if order == 1:
        return float(weights @ (np.exp(-p) * (q - p))) / constant
    # Relative to the largest value, which may be far above the largest number.
    exponent = -order * p - (1 - order) * q
    largest = float(exponent.max())
    whole = float(weights @ np.exp(exponent - largest))
    return (math.log(whole / constant) + largest) / (order - 1)


def exact_epsilon(mechanism: Mechanism, scale: float, delta: float, *, sensitivity: float = 1.0) -> float:
    r"""The smallest ε at which the mechanism is (ε, δ)-DP.

    Laplace: δ(ε) = 1 − e^{(ε − Δ/λ)/2} for 0 <= ε <= Δ/λ, inverted. Gaussian: Balle and Wang (2018),
    Theorem 8, inverted.

    >>> round(exact_epsilon("laplace", 2.0, 1e-5), 5)
    0.49998
    """
    _check(mechanism, scale, sensitivity=sensitivity)
    checks.open_unit("delta", delta)
    if mechanism == "laplace":
        return max(0.0, sensitivity / scale + 2 * math.log1p(-delta))
    noise = scale / sensitivity

    def excess(epsilon: float) -> float:
        """Log δ(ε) above that of δ."""
        far = epsilon * noise + 1 / (2 * noise)
        first, second = log_ndtr(1 / noise - far), epsilon + log_ndtr(-far)
        return float((first + np.log1p(-np.exp(second - first)) if second <= first else -np.inf) - np.log(delta))

    if excess(0.0) < 0:
        return 0.0
    low, high = 0.0, 1.0
    while excess(high) > 0:
        low, high = high, high * 10
    return float(brentq(excess, low, high, xtol=1e-12))


def _quadrature(edges: Sequence[float], width: float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights, 16 on every piece of at most ``width`` between two edges."""
    pieces = itertools.pairwise(sorted(set(edges)))
    cuts = np.unique(np.concatenate([np.linspace(a, b, 1 + math.ceil((b - a) / width)) for a, b in pieces]))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    half = np.diff(cuts)[:, None] / 2
    return (cuts[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()


def _check(mechanism: Mechanism, scale: float, order: float = 1.0, sensitivity: float = 1.0) -> None:
    checks.one_of("mechanism", mechanism, MECHANISMS)
    checks.at_least("order", order, 1)
    checks.positive("scale", scale)
    checks.positive("sensitivity", sensitivity)
