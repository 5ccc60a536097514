"""Rényi divergences in closed form, and their conversion to (epsilon, delta).

Every divergence is one from above: a sum of positive terms, so that no small loss is lost between large numbers, with
the rounding error of its terms added (`wassdp.accounting.formulas.small`). Arguments that are divergences or moments
are taken to be upper values themselves.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float
from scipy import special

from wassdp import checks
from wassdp.accounting.formulas import small
from wassdp.accounting.formulas.sampled_gaussian import sampled_log_excess
from wassdp.accounting.formulas.without_replacement import amplified
from wassdp.accounting.profiles.base import gauss_legendre

Orders = Float[np.ndarray, " orders"]
Whole = Float[np.ndarray, " whole"]
Evens = Float[np.ndarray, " evens"]
_TERMS = 1500
"""Terms of a series, at most, before quadrature takes over."""


def to_epsilon(orders: Orders, divergences: Orders, delta: float) -> float:
    r"""Smallest ε over the orders.

    .. math:: ε = \min_α D_α + \log\frac{α-1}{α} - \frac{\log δ + \log α}{α-1}

    rounded up by 16 roundings of the terms' absolute sum.

    Raises:
        ValueError: bad arguments, or a divergence that is not a number.

    Source: Canonne, Kamath and Steinke (2020), arXiv:2004.00010, Proposition 12. A pair at no distance
    at all has ε = 0; a small δ is also reached by TV ≤ √(1 - e^{-D_α}) ≤ δ (Bretagnolle-Huber).

    >>> round(to_epsilon(np.array([2.0, 8.0, 32.0]), np.array([1.0, 4.0, 16.0]) / 100, 1e-5), 4)
    0.3878
    """
    checks.open_unit("delta", delta)
    checks.numbers("divergences", divergences)
    if not orders.size or not (divergences >= 0).all():
        raise ValueError(f"divergences = {divergences.tolist()!r}: must be at least 0, one for each order")
    if not np.any(divergences):
        return 0.0
    with np.errstate(under="ignore"):
        if np.any(-np.expm1(-divergences) < delta**2 * (1 - 16 * small.UNIT)):
            return 0.0
    return max(0.0, float(checks.numbers("epsilon", by_excess(orders - 1, divergences, delta)).min()))


def by_excess(excess: Orders, divergences: Orders, delta: float) -> Orders:
    r"""The ε of `to_epsilon` for each order 1 + a, in terms of a, so that none near 1 loses its digits."""
    shift = np.log(excess) - np.log1p(excess)
    tail = -(math.log(delta) + np.log1p(excess)) / excess
    magnitude = divergences + np.abs(np.log(excess)) + np.log1p(excess) + (-math.log(delta) + np.log1p(excess)) / excess
    return small.rounded_up(divergences + shift + tail, magnitude)


def gaussian_divergence(orders: Orders, noise_multiplier: float) -> Orders:
    """α/(2σ²) (Mironov 2017, Corollary 3)."""
    if noise_multiplier == 0:
        return np.full(orders.shape, math.inf)
    with np.errstate(over="ignore"):
        return np.maximum(orders * (_precision(noise_multiplier) / 2) * (1 + 16 * small.UNIT), small.LEAST)


def laplace_divergence(orders: Orders, noise_multiplier: float) -> Orders:
    r"""Laplace mechanism of scale b over sensitivity.

    .. math:: D_α = \frac{1}{α-1} \log\Big(\frac{α}{2α-1} e^{(α-1)/b} + \frac{α-1}{2α-1} e^{-α/b}\Big)

    written as log(1 + x), where the terms of first order in 1/b cancel and what is left is positive:

    .. math:: x = \frac{α\, h((α-1)/b) + (α-1)\, h(-α/b)}{2α-1}, \qquad h(t) = e^t - 1 - t

    Source: Mironov (2017), Corollary 2.

    >>> bool(laplace_divergence(np.array([2.0]), 1e8)[0] > 0.99e-16)  # α/2b², as Gaussian noise of that variance
    True
    """
    if noise_multiplier == 0:
        return np.full(orders.shape, math.inf)
    with np.errstate(over="ignore"):
        up, down = (orders - 1) / noise_multiplier, orders / noise_multiplier
        weight = np.log(2 * orders - 1)
        first, second = np.log(orders) + small.log_expm2(up), np.log(orders - 1) + small.log_expm2(-down)
        log_excess = np.logaddexp(first - weight, second - weight)
        return small.divergence(small.rounded_up(log_excess, up + down + weight), orders)


def pure_divergence(orders: Orders, epsilon: float) -> Orders:
    r"""Randomised response, which dominates every ε-DP mechanism (Mironov 2017, Proposition 5).

    Its excess moment is the product

    .. math:: x = \frac{(1 - e^{-(α-1)ε}) (e^{αε} - 1)}{1 + e^ε}
    """
    if epsilon == 0:
        return np.zeros(orders.shape)
    with np.errstate(over="ignore", under="ignore"):
        up, down = orders * epsilon, (orders - 1) * epsilon
        # log(1 - e^{-t}) = log(e^t - 1) - t, of which the first form keeps its digits at large t.
        flat = np.where(down > 1, np.log1p(-np.exp(-np.maximum(down, 1.0))), small.log_expm1(np.minimum(down, 1.0)))
        flat = np.where(down > 1, flat, flat - down)
        log_excess = flat + (small.log_expm1(up) - np.logaddexp(0.0, epsilon))
        return small.divergence(small.rounded_up(log_excess, up + np.abs(flat) + epsilon), orders)


def gaussian_log_moments(orders: Orders, noise_multiplier: float) -> Orders:
    """Log E e^{(α-1)ℓ} of the Gaussian mechanism: (α-1) times `gaussian_divergence`."""
    precision = math.inf if noise_multiplier == 0 else _precision(noise_multiplier)
    with np.errstate(over="ignore"):
        return np.asarray(orders * (orders - 1) / 2 * precision)


def sampled_divergence(orders: Orders, rate: float, log_moments: Whole) -> Orders:
    r"""Poisson-sampled, add or remove one or zero out, of a mechanism whose batches have a fixed size.

    .. math:: e^{(α-1)D_α} = \sum_j \binom{α}{j} (1-q)^{α-j} q^j e^{(j-1)D_j}

    Args:
        orders: α, whole numbers of at least 2.
        rate: q.
        log_moments: (j-1) D_j of the mechanism itself for j = 2, 3, ..., max α (`up_to`).
    Source: Mironov, Talwar, Zhang (2019), Section 3.3, for any mechanism whose moments are known.
    """
    if rate == 0:
        return np.zeros(orders.size)
    whole = orders.astype(int).tolist()
    excess = [float(sampled_log_excess(order, rate, log_moments[: order - 1], upward=True)) for order in whole]
    return small.divergence(np.array(excess), orders)


def up_to(orders: Orders) -> Whole:
    """2, 3, ..., up to the largest of ``orders``."""
    return np.arange(2, orders.max(initial=1) + 1, dtype=float)


def _precision(noise_multiplier: float) -> float:
    """1/σ², infinite where it is too large for a number, and never 0."""
    inverse = 1 / noise_multiplier
    return max(inverse * inverse * (1 + 4 * small.UNIT), small.LEAST)


def without_replacement_divergence(
    orders: Orders, rate: float, divergences: Whole, log_differences: Evens | None = None
) -> Orders:
    """A mechanism of ``divergences`` at 2, 3, ... on a batch drawn without replacement (Wang et al. 2019)."""
    return np.array([amplified(int(order), rate, divergences, log_differences) for order in orders])


def gaussian_differences(noise_multiplier: float, most: int) -> Evens:
    r"""Log E_Q[(P/Q - 1)^l] of the Gaussian mechanism for l = 2, 4, ..., up to ``most``.

    The alternating sum \sum_k (-1)^{l-k} \binom{l}{k} e^{k(k-1)/2σ²} loses all digits; the integral over the
    noise, of an analytic integrand on the whole line, is exact by the trapezoidal rule.
    """
    mu, step = 1 / noise_multiplier, 0.02
    logarithms = []
    for power in range(2, most + 1, 2):
        reach = 12 + 2 * math.sqrt(power)
        z = np.arange(-reach, power * mu + reach, step)
        with np.errstate(divide="ignore"):
            exponent = mu * z - mu * mu / 2
            magnitude = np.where(exponent > 50, exponent, np.log(np.abs(np.expm1(np.minimum(exponent, 50)))))
        log_sum = float(special.logsumexp(power * magnitude - z * z / 2))
        logarithms.append(log_sum + math.log(step / math.sqrt(2 * math.pi)))
    # Each term carries about ``power`` roundings of its logarithm, 256 of at most 400: far less than what is added.
    return np.array(logarithms) + 1e-10


def projections_log_moment(projections: int, dimension: int, directions: str, argument: Orders) -> Orders:
    r"""Log E e^{tH} for the squared sensitivity H of random projections, rounded up.

    .. math:: iid:\ k \log {}_1F_1(\tfrac12; \tfrac d2; t), \qquad
        orthogonal:\ tk/d \ (d | k),\quad \log {}_1F_1(\tfrac k2; \tfrac d2; t)\ (k < d)

    Args:
        projections: k.
        dimension: d.
        directions: ``iid`` or ``orthogonal``.
        argument: t ≥ 0.
    Source: SWD Lemma 1, and the moment generating function of a Beta variable.
    """
    if directions == "orthogonal" and projections % dimension == 0:
        return argument * (projections // dimension)
    if directions == "orthogonal":
        return _log_kummer(projections / 2, dimension / 2, argument)
    return np.asarray(projections * _log_kummer(0.5, dimension / 2, argument) * (1 + 4 * small.UNIT))


def _log_kummer(a: float, b: float, argument: Orders) -> Orders:
    r"""Log ₁F₁(a; b; t) for 0 < a ≤ b and t ≥ 0, as E e^{tY} over Y ~ Beta(a, b - a), rounded up.

    By its series, all of whose terms are positive, where that converges in a few hundred terms, and otherwise by
    quadrature, where library routines return infinity: its relative error, at most 2e-13 against 60 digits, counts
    a hundredfold.
    """
    if a == b:
        return argument
    logarithms = _series(a, b, argument) * (1 + 1e-12)
    missing = np.isnan(logarithms)
    if missing.any():
        # The same quadrature at t = 0 is the constant B(a, b - a)/2, to more digits than the gamma function gives.
        zero = _log_integral(a, b, 0.0)
        # Jensen: E e^{tY} ≥ e^{ta/b}. Only where t is large does one come here, so that no digits are lost.
        above = [max(_log_integral(a, b, t) - zero, t * a / b) for t in argument[missing].tolist()]
        logarithms[missing] = np.array(above) * (1 + 2e-11)
    return logarithms


def _series(a: float, b: float, argument: Orders) -> Orders:
    r"""Log ₁F₁(a; b; t) by \sum_n (a)_n t^n / (b)_n n!, NaN where terms overflow or do not fall soon.

    A sum of N positive terms, each the last one times a quotient, has a relative error of 4N roundings.
    """
    infinite = np.isinf(argument)
    logarithms = np.where(infinite, math.inf, math.nan)
    open_ = np.flatnonzero((argument <= 500) | ((argument <= b / 2) & ~infinite))
    t = argument[open_]
    term, total = np.ones(t.shape), np.zeros(t.shape)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for n in range(_TERMS):
            term = term * (t * ((a + n) / ((b + n) * (n + 1))))
            total = total + term
            # From here on quotients fall, or (a < 1) stay below t/(b+n): what is left is less than the last term.
            falls = np.maximum(t * ((a + n + 1) / ((b + n + 1) * (n + 2))), t / (b + n + 1) if a < 1 else 0.0) <= 0.5
            done = (falls & (term <= 1e-17 * total)) | ~np.isfinite(total)
            if done.any():
                logarithms[open_[done]] = np.where(np.isfinite(total[done]), np.log1p(total[done]), math.nan)
                open_, t, term, total = open_[~done], t[~done], term[~done], total[~done]
            if not open_.size:
                break
    return logarithms


def _log_integral(a: float, b: float, t: float) -> float:
    """Logarithm of the integral of sin^{2a-1} s cos^{2(b-a)-1} s e^{t sin² s} over s in [0, π/2]."""
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
    s, weights = gauss_legendre((edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2, 24)
    sine = np.sin(s)
    value = t * sine**2 + special.xlogy(p, sine) + special.xlogy(q, np.cos(s))
    return float(special.logsumexp(value + np.log(weights)))
