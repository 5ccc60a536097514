"""Wasserstein accountant of Yang, Qi and Zhou (2024), as their text prints it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting.accountants.published.wasserstein import ASSUMPTIONS, log_moments, tail_bound
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements.measured import MeasuredAccountant, measuring, reading, running_totals


@dataclass(frozen=True, kw_only=True)
class WassersteinTextAccountant(MeasuredAccountant):
    r"""ε = Σ_t W_t − log(δ)/β, with W_t summed over the *components* of the noisy gradient.

    .. math:: W_t = \inf_{d_t} \Big(\sum_{i=1}^n E|Z_{ti}|^\mu\Big)^{1/\mu},
              \quad Z_{ti} \sim N(q d_t, (2 - 2q + 2q^2) s_t^2)

    Read literally: each of the n components of Z_t has mean q d_t with the norm d_t, a number, and
    the infimum runs over the measured distances. The published code does neither: see `wasserstein`.

    Args:
        order: μ >= 1.
        beta: β > 0 of the tail bound.
    """

    order: float = 16
    beta: float = 1.0
    source = "Yang, Qi and Zhou (2024), AAAI, Theorem 2 (equation 11) and Corollary 1 (equation 16)"

    def __post_init__(self) -> None:
        if checks.finite("order", self.order) < 1:
            raise ValueError(f"order = {self.order!r}: must be at least 1")
        checks.positive("beta", self.beta)

    def lacking(self, event: MeasuredGradients) -> str | None:
        if event.coordinates is None:
            return "the number of coordinates of a gradient is not given"
        return "there is no measured distance" if event.distances.shape[1] == 0 else None

    def losses(self, event: MeasuredGradients) -> Float[np.ndarray, " steps"]:
        """W_t of each step, unit of the gradients."""
        assert event.coordinates is not None
        least = log_moments(event, self.order).min(axis=1)
        return np.asarray(np.exp((math.log(event.coordinates) + least) / self.order))

    def along(self, event: MeasuredGradients, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        notes = (
            *ASSUMPTIONS,
            f"summed over {event.coordinates} components, infimum over the measured distances",
            f"order {self.order:g}, beta {self.beta:g}",
            *reading(event),
            *measuring(event),
        )
        return tuple(
            self.guarantee(event, delta, tail_bound(total, delta, self.beta), notes)
            for total in running_totals(self.losses(event), steps)
        )
