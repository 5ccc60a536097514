"""Rényi divergence of a mechanism on a batch drawn without replacement, from that of the mechanism itself."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float
from scipy.special import gammaln, logsumexp

from wassdp import checks
from wassdp.accounting.formulas import small


def amplified(
    order: int,
    rate: float,
    divergences: Float[np.ndarray, " orders"],
    log_differences: Float[np.ndarray, " evens"] | None = None,
) -> float:
    r"""ε'(α) of the subsampled mechanism, for whole α ≥ 2.

    .. math:: ε'(α) ≤ \frac{1}{α-1} \log\Big(1 + γ^2 \binom{α}{2} \min\{4(e^{ε(2)} - 1), 2 e^{ε(2)}\}
        + \sum_{j=3}^{α} 2 γ^j \binom{α}{j} e^{(j-1) ε(j)}\Big)

    for a mechanism with ε(∞) = ∞, and never more than ε(α) itself. Where B(l) = E_Q[(P/Q - 1)^l] is known for
    even l, the j-th factor 2 e^{(j-1) ε(j)} may be replaced by 4 √(B(2⌊j/2⌋) B(2⌈j/2⌉)).

    Args:
        order: α, a whole number of at least 2.
        rate: γ in [0, 1], batch over records.
        divergences: ε(2), ε(3), ..., ε(α) or more of them, under replace-one, in nats.
        log_differences: log B(2), log B(4), ..., up to the even number at or above α; None if unknown.

    Returns:
        ε'(α), in nats, rounded up; the divergences are taken to be upper values themselves.

    Raises:
        ValueError: an argument is out of range.
    Source: Wang, Balle and Kasiviswanathan (2019), arXiv:1808.00087, Theorems 9 and 27.

    >>> round(amplified(2, 0.01, np.array([0.5])), 9)
    0.000259455
    """
    checks.whole("order", order, least=2)
    checks.probability("rate", rate)
    if divergences.size < order - 1:
        raise ValueError(f"divergences: {divergences.size} values; order {order} needs {order - 1}")
    if rate == 0:
        return 0.0
    itself = float(divergences[order - 2])
    if math.isinf(itself):
        return math.inf
    j = np.arange(2, order + 1)
    log_factors = math.log(2) + (j - 1) * divergences[: order - 1]
    if log_differences is not None:
        pairs = log_differences[j // 2 - 1] + log_differences[(j + 1) // 2 - 1]
        log_factors = np.minimum(log_factors, math.log(4) + pairs / 2)
    log_terms = j * math.log(rate) + log_factors
    second = float(divergences[0])
    # log min{4(e^ε - 1), 2 e^ε}; the first is the smaller one for e^ε < 2.
    if second == 0:
        return 0.0
    least = math.log(4 * math.expm1(second)) if 0 < second < math.log(2) else math.log(2) + second
    log_terms[0] = 2 * math.log(rate) + least
    log_terms += gammaln(order + 1) - gammaln(j + 1) - gammaln(order - j + 1)
    # Divergences of far higher orders may be infinite where those of this one are not.
    magnitude = 3 * gammaln(order + 1) + j * -math.log(rate) + np.abs(log_factors)
    excess = logsumexp(small.rounded_up(log_terms, np.where(np.isinf(magnitude), 0.0, magnitude)))
    return min(itself, float(small.divergence(np.array([excess]), np.array([float(order)]))[0]))
