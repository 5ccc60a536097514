r"""Conversions among pure DP, zero-concentrated DP, Rényi DP, Gaussian DP and (ε, δ)-DP: all are theorems.

Symbols: ρ of zCDP (``rho``), μ of Gaussian DP (``mean``: the pair is N(0,1) against N(μ,1)), α the Rényi
order. Rényi divergences of many orders become (ε, δ) by `wassdp.accounting.formulas.renyi.to_epsilon`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize_scalar

from wassdp import checks
from wassdp.accounting.formulas import renyi, small
from wassdp.accounting.numerics.bracket import bisected
from wassdp.accounting.profiles.base import ROUNDING
from wassdp.accounting.profiles.gaussian import gaussian_delta


def pure_to_zcdp(epsilon: float) -> float:
    """ρ = ε²/2 (Bun and Steinke 2016, Proposition 1.4).

    >>> pure_to_zcdp(2.0)
    2.0
    """
    return _half_square(checks.non_negative("epsilon", epsilon))


def pure_to_renyi(epsilon: float, order: float) -> float:
    """Rényi divergence of randomised response, the worst that ε-DP allows (Mironov 2017, Proposition 5).

    >>> pure_to_renyi(1.0, 2.0) < 1.0
    True
    """
    checks.non_negative("epsilon", epsilon)
    return float(renyi.pure_divergence(_order(order), epsilon)[0])


def zcdp_to_renyi(rho: float, order: float) -> float:
    """αρ: the definition (Bun and Steinke 2016, Definition 1.1).

    >>> zcdp_to_renyi(0.5, 4.0)
    2.0
    """
    checks.non_negative("rho", rho)
    return float(_order(order)[0] * rho)


def zcdp_to_epsilon(rho: float, delta: float) -> float:
    r"""ε = ρ + 2 √(ρ log(1/δ)) (Bun and Steinke 2016, Proposition 1.3).

    >>> round(zcdp_to_epsilon(0.125, 1e-5), 5)
    2.52426
    """
    checks.non_negative("rho", rho)
    checks.open_unit("delta", delta)
    return (rho + 2 * math.sqrt(rho * -math.log(delta))) * (1 + 1e-15)


def zcdp_to_epsilon_by_renyi(rho: float, delta: float) -> float:
    r"""The smallest ε over all orders that αρ allows, never above `zcdp_to_epsilon`.

    .. math:: ε = \min_{α > 1} αρ + \log\frac{α-1}{α} - \frac{\log δ + \log α}{α-1}

    Every order is valid, and the value at the best one found is rounded up: an upper bound whatever the search does.

    Source: Canonne, Kamath and Steinke (2020), arXiv:2004.00010, Proposition 12 with (α, αρ)-RDP; where δ is not below
    the total variation that D_1 ≤ ρ allows (Bretagnolle-Huber), ε = 0.

    >>> zcdp_to_epsilon_by_renyi(0.125, 1e-5) < zcdp_to_epsilon(0.125, 1e-5)
    True
    """
    plain = zcdp_to_epsilon(rho, delta)
    # A δ² too small for a number only costs this shortcut.
    if rho == 0 or -math.expm1(-rho) < delta * delta * (1 - 1e-12):
        return 0.0
    if plain == math.inf:
        return plain

    def at(log_excess: float) -> float:
        excess = np.array([math.exp(log_excess)])
        return max(0.0, float(checks.numbers("epsilon", renyi.by_excess(excess, (1 + excess) * rho, delta))[0]))

    # Bun and Steinke's own order; the best one is near it. Every order is valid, so a near miss only costs.
    centre = (math.log(-math.log(delta)) - math.log(rho)) / 2
    best = minimize_scalar(at, bounds=(centre - 4, centre + 4), method="bounded", options={"xatol": 1e-8})
    return min(plain, float(best.fun))


def gdp_to_renyi(mean: float, order: float) -> float:
    """αμ²/2 (Dong, Roth and Su 2022, Corollary B.6).

    >>> gdp_to_renyi(1.0, 4.0)
    2.0
    """
    checks.non_negative("mean", mean)
    return float(_order(order)[0] * _half_square(mean))


def gdp_to_zcdp(mean: float) -> float:
    """ρ = μ²/2: `gdp_to_renyi` at every order.

    >>> gdp_to_zcdp(1.0)
    0.5
    """
    return _half_square(checks.non_negative("mean", mean))


def gdp_to_delta(mean: float, epsilon: float) -> float:
    r"""The exact profile of N(0,1) against N(μ,1).

    .. math:: δ(ε) = Φ(-ε/μ + μ/2) - e^ε Φ(-ε/μ - μ/2)

    Source: Dong, Roth and Su (2022), arXiv:1905.02383, Corollary 2.13; Balle and Wang (2018), Theorem 8.

    >>> round(gdp_to_delta(1.0, 1.0), 6)
    0.126937
    """
    checks.non_negative("mean", mean)
    checks.non_negative("epsilon", epsilon)
    return 0.0 if mean == 0 else float(gaussian_delta(np.array([epsilon]), max(mean * mean, small.LEAST))[0])


def gdp_to_epsilon(mean: float, delta: float) -> float:
    """Smallest ε ≥ 0 with `gdp_to_delta` at most δ, rounded up in the last digits; infinite for infinite μ.

    >>> round(gdp_to_epsilon(1.0, gdp_to_delta(1.0, 1.0)), 9)
    1.0
    """
    if mean != math.inf:
        checks.non_negative("mean", mean)
    checks.open_unit("delta", delta)
    if mean * mean == math.inf:
        return math.inf

    return bisected(lambda value: gdp_to_delta(mean, value) <= delta * (1 - ROUNDING), 1.0, close=1e-12)[1]


def _half_square(value: float) -> float:
    """x²/2, rounded up to `small.LEAST` where it would vanish; infinite where it overflows."""
    square = value * value / 2
    return max(square, small.LEAST) if value else square


def _order(order: float) -> renyi.Orders:
    if checks.finite("order", order) <= 1:
        raise ValueError(f"order = {order!r}: must be above 1")
    return np.array([float(order)])
