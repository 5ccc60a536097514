"""Wasserstein accountant of Yang, Qi and Zhou (2024), as their text prints it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.accounting.accountants.published.wasserstein import WassersteinAccountant, log_moments
from wassdp.accounting.events.measured_gradients import MeasuredGradients


@dataclass(frozen=True, kw_only=True)
class WassersteinTextAccountant(WassersteinAccountant):
    r"""ε = Σ_t W_t − log(δ)/β, with W_t summed over the *components* of the noisy gradient.

    .. math:: W_t = \inf_{d_t} \Big(\sum_{i=1}^n E|Z_{ti}|^\mu\Big)^{1/\mu},
              \quad Z_{ti} \sim N(q d_t, (2 - 2q + 2q^2) s_t^2)

    Read literally: each of the n components of Z_t has mean q d_t with the norm d_t, a number, and
    the infimum runs over the measured distances. The published code does neither: see `wasserstein`.

    Args:
        order: μ >= 1.
        beta: β > 0 of the tail bound.
    """

    source = "Yang, Qi and Zhou (2024), AAAI, Theorem 2 (equation 11) and Corollary 1 (equation 16)"

    def lacking(self, event: MeasuredGradients) -> str | None:
        if event.coordinates is None:
            return "the number of coordinates of a gradient is not given"
        return "there is no measured distance" if event.distances.shape[1] == 0 else None

    def losses(self, event: MeasuredGradients) -> Float[np.ndarray, " steps"]:
        """W_t of each step, unit of the gradients."""
        assert event.coordinates is not None
        least = log_moments(event, self.order).min(axis=1)
        return np.asarray(np.exp((math.log(event.coordinates) + least) / self.order))

    def summed(self, event: MeasuredGradients) -> str:
        return f"{event.coordinates} components, infimum over the measured distances"
