"""Integer moments of the privacy loss of a Poisson-sampled Gaussian, in log space."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from wassdp import checks
from wassdp.accounting.formulas import small


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
    k = np.arange(2, order + 2)
    with np.errstate(over="ignore"):
        exponents = k * (k - 1) / 2 * precision[..., None]
    with np.errstate(under="ignore"):
        return np.asarray(np.logaddexp(0.0, sampled_log_excess(order + 1, rate, exponents)))


def sampled_log_excess(
    order: int, rate: float, log_moments: Float[np.ndarray, "*shape counts"], *, upward: bool = False
) -> Float[np.ndarray, "*shape"]:
    r"""Log of the moment, less 1, of a mechanism on a Poisson sample: a sum of positive terms, so that nothing cancels.

    .. math:: E_Q[(A/Q)^α] - 1 = \sum_{k=2}^{α} \binom{α}{k} q^k (1-q)^{α-k} (e^{m_k} - 1), \qquad A = (1-q)Q + qP

    Args:
        order: α, a whole number of at least 2.
        rate: q in [0, 1].
        log_moments: m_k = log E_Q[(P/Q)^k] ≥ 0 for k = 2, 3, ..., α along the last axis.
        upward: add the rounding error of every term.
    Source: Mironov, Talwar and Zhang (2019), arXiv:1908.10530, Section 3.3; 1 is the sum of the binomial's terms.
    """
    k = np.arange(2, order + 1)
    binomial = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    log_weights = binomial + xlogy(k, rate) + xlog1py(order - k, -rate)
    grown = small.log_expm1(log_moments)
    with np.errstate(invalid="ignore"):
        terms = np.where(np.isneginf(log_weights), -np.inf, log_weights + grown)
    if upward:
        magnitude = 3 * gammaln(order + 1) - xlogy(k, rate) - xlog1py(order - k, -rate)
        with np.errstate(invalid="ignore"):
            terms = small.rounded_up(terms, np.where(np.isinf(magnitude), 0.0, magnitude) + np.abs(log_moments))
    return np.asarray(logsumexp(terms, axis=-1))
