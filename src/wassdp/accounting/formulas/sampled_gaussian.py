"""Integer moments of the privacy loss of a Poisson-sampled Gaussian, in log space."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from wassdp import checks


def log_moment(order: int, rate: float, precision: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    r"""Log moment of the loss of (1−q)N(0, s²) + qN(d, s²) against N(0, s²).

    .. math:: c(\lambda) = \log E_{k \sim Bin(\lambda+1, q)} \exp\Big(\frac{k(k-1)}{2} \frac{d^2}{s^2}\Big)

    It is λ times the Rényi divergence of order λ + 1.

    Args:
        order: λ, a whole number of at least 1.
        rate: q in [0, 1].
        precision: d²/s² >= 0, any shape; infinity means no noise.

    Returns:
        c(λ), same shape.

    Raises:
        ValueError: an argument is out of range.

    Source: Abadi et al. (2016), arXiv:1607.00133, Appendix; Mironov, Talwar and Zhang (2019),
        arXiv:1908.10530, Section 3.3; Triastcyn and Faltings (2020), arXiv:1901.09697, Theorem 3.

    >>> float(log_moment(1, 1.0, np.array(0.5)))  # Rényi divergence of order 2: d²/s²
    0.5
    """
    checks.whole("order", order, least=1)
    checks.probability("rate", rate)
    if np.isnan(precision).any() or (precision < 0).any():
        raise ValueError("precision: must be at least 0")
    n = order + 1
    k = np.arange(n + 1)
    log_weights = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, rate) + xlog1py(n - k, -rate)
    # k(k-1)/2 is 0 for k = 0, 1: kept apart, since 0 times an infinite precision is not a number.
    pairs = k * (k - 1) / 2
    with np.errstate(invalid="ignore"):
        exponents = np.where(pairs == 0, 0.0, pairs * precision[..., None])
        terms = np.where(np.isneginf(log_weights), -np.inf, log_weights + exponents)
    return np.asarray(np.maximum(logsumexp(terms, axis=-1), 0.0))
