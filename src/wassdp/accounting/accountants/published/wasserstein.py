"""Wasserstein accountant of Yang, Qi and Zhou (2024), as their published code computes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.formulas.absolute_moment import log_absolute_moment
from wassdp.accounting.statements.measured import MeasuredAccountant, running_totals

ASSUMPTIONS = (
    "epsilon is a Wasserstein distance in the unit of the gradients, not a bound on likelihood ratios",
    "the sampled mixture is treated as one Gaussian with a weighted mean",
    "the noise is counted as distance: the figure grows with it",
)


@dataclass(frozen=True, kw_only=True)
class WassersteinAccountant(MeasuredAccountant):
    r"""ε = Σ_t W_t − log(δ)/β, with W_t summed over the measured *pairs*.

    .. math:: W_t = \Big(\sum_{i \in pairs} E|Z_{ti}|^\mu\Big)^{1/\mu},
              \quad Z_{ti} \sim N(q d_{ti}, (2 - 2q + 2q^2) s_t^2)

    The paper's text sums over the components of one gradient instead: see `wasserstein_text`.

    Args:
        order: μ >= 1; the authors use 16.
        beta: β > 0 of the tail bound; 1 in Figures 2 and 4, 32 for deep learning.
    """

    order: float = 16
    beta: float = 1.0
    source = "Yang, Qi and Zhou (2024), AAAI, Theorem 2 and Corollary 1, as coded"

    def __post_init__(self) -> None:
        if not 1 <= checks.finite("order", self.order) <= limits.MOST_ORDER:
            raise ValueError(f"order = {self.order!r}: must be at least 1 and at most {limits.MOST_ORDER}")
        checks.positive("beta", self.beta)

    def losses(self, event: MeasuredGradients) -> Float[np.ndarray, " steps"]:
        """W_t of each step, unit of the gradients."""
        return np.exp(logsumexp(log_moments(event, self.order), axis=1) / self.order)

    def summed(self, event: MeasuredGradients) -> str:
        """What W_t is summed over."""
        return f"{event.distances.shape[1]} measured pairs, where the text sums over components"

    def along(self, event: MeasuredGradients, delta: float, steps: Sequence[int]) -> list[float]:
        return [tail_bound(total, delta, self.beta) for total in running_totals(self.losses(event), steps)]

    def remarks(self, event: MeasuredGradients) -> tuple[str, ...]:
        return (*ASSUMPTIONS, f"summed over {self.summed(event)}", f"order {self.order:g}, beta {self.beta:g}")


def tail_bound(total: float, delta: float, beta: float) -> float:
    """ε = ΣW − log(δ)/β (Corollary 1, equation 16).

    >>> tail_bound(10.0, math.exp(-5), 1.0)
    15.0
    """
    return total - math.log(checks.open_unit("delta", delta)) / checks.positive("beta", beta)


def log_moments(event: MeasuredGradients, order: float) -> Float[np.ndarray, "steps pairs"]:
    """Logarithm of E|Z|^μ for every step and pair (Lemma 1 with the mean and variance of Theorem 2)."""
    q = event.rate
    variance = (2 - 2 * q + 2 * q**2) * event.noise_std[:, None] ** 2
    return log_absolute_moment(order, q * event.distances, np.broadcast_to(variance, event.distances.shape))
