"""Rényi differential privacy of Mironov (2017), with its own conversion to (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.formulas.sampled_gaussian import log_moment
from wassdp.accounting.statements.gaussian_steps import GaussianStep, GaussianStepsAccountant, sampled
from wassdp.accounting.statements.measured import not_clipped


@dataclass(frozen=True, kw_only=True)
class RenyiAccountant(GaussianStepsAccountant):
    r"""ε = min_α [Σ_t D_α(t) + log(1/δ)/(α−1)].

    D_α = α/(2σ²) for a Gaussian of noise multiplier σ; where records are Poisson-sampled, the closed
    form of Mironov, Talwar and Zhang (2019) for whole α, and orders that are not whole are left out.

    Args:
        orders: α > 1; by default the list of Mironov (2017), Section VI, without infinity.
    """

    orders: tuple[float, ...] = (1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8, 16, 32, 64)
    source = (
        "Mironov (2017), arXiv:1702.07476, Corollary 3 and Proposition 3; "
        "sampled: Mironov, Talwar and Zhang (2019), arXiv:1908.10530, Section 3.3"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", limits.listed("orders", self.orders))
        for order in self.orders:
            if not 1 < checks.finite("orders", order) <= limits.MOST_ORDER:
                raise ValueError(f"orders = {order!r}: must be above 1 and at most {limits.MOST_ORDER}")

    def supports(self, event: Event) -> str | None:
        if reason := super().supports(event):
            return reason
        releases = event.worst_case()
        if releases is not None and not self.usable(releases):
            return "with sampling the closed form needs a whole order, and none was asked for"
        return None

    def cost(self, order: float, step: GaussianStep) -> float:
        if step.rate == 1:
            return order * step.precision / 2
        return float(log_moment(int(order) - 1, step.rate, np.array(step.precision))) / (order - 1)

    def budget(self, total: float, order: float, delta: float) -> float:
        return total - math.log(delta) / (order - 1)

    def usable(self, releases: Event) -> tuple[float, ...]:
        whole = sampled(releases)
        return tuple(order for order in self.orders if not whole or float(order).is_integer())

    def remarks(self, event: Event, releases: Event | None, orders: Sequence[float]) -> tuple[str, ...]:
        if releases is None and isinstance(event, MeasuredGradients):
            return not_clipped(event)
        return super().remarks(event, releases, orders)
