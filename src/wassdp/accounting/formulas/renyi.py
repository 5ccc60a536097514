"""Rényi divergences in closed form, and their conversion to (epsilon, delta)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float
from scipy import special

from wassdp import checks
from wassdp.accounting.formulas.sampled_gaussian import log_moment as sampled_log_moment
from wassdp.accounting.formulas.without_replacement import amplified

Orders = Float[np.ndarray, " orders"]
Whole = Float[np.ndarray, " whole"]
Evens = Float[np.ndarray, " evens"]


def to_epsilon(orders: Orders, divergences: Orders, delta: float) -> float:
    r"""Smallest ε over the orders.

    .. math:: ε = \min_α D_α + \log\frac{α-1}{α} - \frac{\log δ + \log α}{α-1}

    Source: Canonne, Kamath and Steinke (2020), arXiv:2004.00010, Proposition 12. A pair at no distance
    at all has ε = 0; a small δ is also reached by TV ≤ √(1 - e^{-D_α}) ≤ δ (Bretagnolle-Huber).

    >>> round(to_epsilon(np.array([2.0, 8.0, 32.0]), np.array([1.0, 4.0, 16.0]) / 100, 1e-5), 4)
    0.3878
    """
    checks.open_unit("delta", delta)
    if not np.any(divergences):
        return 0.0
    with np.errstate(under="ignore"):
        if np.any(delta**2 + np.expm1(-divergences) > 0):
            return 0.0
    found = divergences + np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)
    return max(0.0, float(found.min()))


def gaussian(orders: Orders, noise_multiplier: float) -> Orders:
    """α/(2σ²) (Mironov 2017, Corollary 3)."""
    if noise_multiplier == 0:
        return np.full(orders.shape, math.inf)
    return orders / (2 * noise_multiplier**2)


def laplace(orders: Orders, noise_multiplier: float) -> Orders:
    r"""Laplace mechanism of scale b over sensitivity.

    .. math:: D_α = \frac{1}{α-1} \log\Big(\frac{α}{2α-1} e^{(α-1)/b} + \frac{α-1}{2α-1} e^{-α/b}\Big)

    Source: Mironov (2017), Corollary 2.
    """
    if noise_multiplier == 0:
        return np.full(orders.shape, math.inf)
    up = np.log(orders / (2 * orders - 1)) + (orders - 1) / noise_multiplier
    down = np.log((orders - 1) / (2 * orders - 1)) - orders / noise_multiplier
    return np.asarray(np.maximum(np.logaddexp(up, down), 0.0) / (orders - 1))


def pure(orders: Orders, epsilon: float) -> Orders:
    """Randomised response, which dominates every ε-DP mechanism (Mironov 2017, Proposition 5)."""
    keep = -math.log1p(math.exp(-epsilon))
    flip = keep - epsilon
    found = np.logaddexp(orders * keep + (1 - orders) * flip, orders * flip + (1 - orders) * keep)
    return np.asarray(np.maximum(found, 0.0) / (orders - 1))


def sampled_gaussian(orders: Sequence[int], rate: float, noise_multiplier: float) -> Orders:
    """Poisson-sampled Gaussian, add or remove one (Mironov, Talwar, Zhang 2019, Section 3.3)."""
    precision = np.array(math.inf if noise_multiplier == 0 else noise_multiplier**-2)
    return np.array([float(sampled_log_moment(order - 1, rate, precision)) / (order - 1) for order in orders])


def without_replacement(
    orders: Sequence[int], rate: float, divergences: Whole, log_differences: Evens | None = None
) -> Orders:
    """A mechanism of ``divergences`` at 2, 3, ... on a batch drawn without replacement (Wang et al. 2019)."""
    return np.array([amplified(order, rate, divergences, log_differences) for order in orders])


def gaussian_differences(noise_multiplier: float, most: int) -> Evens:
    r"""Log E_Q[(P/Q - 1)^l] of the Gaussian mechanism for l = 2, 4, ..., up to ``most``.

    The alternating sum \sum_k (-1)^{l-k} \binom{l}{k} e^{k(k-1)/2σ²} loses all digits; the integral over the
    noise, of an analytic integrand on the whole line, is exact by the trapezoidal rule.
    """
    mu = 1 / noise_multiplier
    found = []
    for power in range(2, most + 1, 2):
        reach = 12 + 2 * math.sqrt(power)
        step = 0.02
        z = np.arange(-reach, power * mu + reach, step)
        with np.errstate(divide="ignore"):
            exponent = mu * z - mu * mu / 2
            magnitude = np.where(exponent > 50, exponent, np.log(np.abs(np.expm1(np.minimum(exponent, 50)))))
        found.append(float(special.logsumexp(power * magnitude - z * z / 2)) + math.log(step / math.sqrt(2 * math.pi)))
    return np.array(found)


def sampled_sliced(orders: Sequence[int], rate: float, log_moments: Whole) -> Orders:
    r"""Poisson-sampled, padded DP-SWD, zero out (THEORY 2.3).

    .. math:: e^{(α-1)D_α} = \sum_j \binom{α}{j} (1-q)^{α-j} q^j E e^{j(j-1)H/2σ²}

    Args:
        orders: α.
        rate: q.
        log_moments: log E e^{j(j-1)H/2σ²} for j = 2, 3, ..., max α.
    """
    exponents = np.concatenate(([0.0, 0.0], log_moments))
    found = []
    for order in orders:
        j = np.arange(order + 1)
        log_weights = special.gammaln(order + 1) - special.gammaln(j + 1) - special.gammaln(order - j + 1)
        log_weights += special.xlogy(j, rate) + special.xlog1py(order - j, -rate)
        found.append(max(0.0, float(special.logsumexp(log_weights + exponents[: order + 1]))) / (order - 1))
    return np.array(found)


def log_moment(projections: int, dimension: int, directions: str, argument: Orders) -> Orders:
    r"""Log E e^{tH} for the squared sensitivity H of random projections.

    .. math:: iid:\ k \log {}_1F_1(\tfrac12; \tfrac d2; t), \qquad
        orthogonal:\ tk/d \ (d | k),\quad \log {}_1F_1(\tfrac k2; \tfrac d2; t)\ (k < d)

    Args:
        projections: k.
        dimension: d.
        directions: ``iid`` or ``orthogonal``.
        argument: t ≥ 0.
    Source: SWD Lemma 1; THEORY 2.3, 2.4.
    """
    if directions == "orthogonal" and projections % dimension == 0:
        return argument * projections / dimension
    if directions == "orthogonal":
        return _log_kummer(projections / 2, dimension / 2, argument)
    return projections * _log_kummer(0.5, dimension / 2, argument)


def _log_kummer(a: float, b: float, argument: Orders) -> Orders:
    r"""Log ₁F₁(a; b; t) for 0 < a ≤ b and t ≥ 0, as E e^{tY} over Y ~ Beta(a, b - a).

    By Gauss-Legendre in the angle of y = sin²s around the tilted mode: every term is positive, so nothing
    cancels and nothing overflows, where library routines return infinity.
    """
    if a == b:
        return argument
    # The same quadrature at t = 0 is the constant B(a, b - a)/2, to more digits than the gamma function gives.
    zero = _log_integral(a, b, 0.0)
    return np.asarray(np.maximum([_log_integral(a, b, float(t)) - zero for t in argument], 0.0))


@lru_cache(maxsize=1)
def _rule() -> tuple[Orders, Orders]:
    return np.polynomial.legendre.leggauss(24)


def _log_integral(a: float, b: float, t: float) -> float:
    """Logarithm of the integral of sin^{2a-1} s cos^{2(b-a)-1} s e^{t sin² s} over s in [0, π/2]."""
    nodes, weights = _rule()
    p, q = 2 * a - 1, 2 * (b - a) - 1
    # At the mode 2t y² - (2t - p - q) y - p = 0, y = sin²s, by the root that does not cancel.
    slope = 2 * t - p - q
    root = math.sqrt(slope * slope + 8 * t * p)
    peak = 2 * p / (root - slope) if slope < 0 else (slope + root) / (4 * t) if t > 0 else 0.5
    mode = math.asin(math.sqrt(min(max(peak, 0.0), 1.0)))
    width = 1 / math.sqrt(2 * max(t, 1.0) + abs(p) + abs(q) + 1)
    # Near 2t = q the maximum is as flat as s⁴: intervals that grow reach further than any width suggests.
    steps = np.append(np.arange(12.0), 12.0 * 1.1 ** np.arange(40))
    edges = np.unique(np.clip(mode + width * np.concatenate((-steps, steps)), 0.0, np.pi / 2))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    s = (middle[:, None] + half[:, None] * nodes).ravel()
    sine = np.sin(s)
    value = t * sine**2
    if p:
        value += special.xlogy(p, sine)
    if q:
        value += special.xlogy(q, np.cos(s))
    return float(special.logsumexp(value + np.log((half[:, None] * weights).ravel())))
