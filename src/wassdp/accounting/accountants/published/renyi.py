"""Rényi differential privacy of Mironov (2017), with its own conversion to (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.formulas.sampled_gaussian import log_moment
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements import gaussian_steps as gaussian
from wassdp.accounting.statements.statement import not_clipped, refuse, statement


@dataclass(frozen=True, kw_only=True)
class Accountant:
    r"""ε = min_α [Σ_t D_α(t) + log(1/δ)/(α−1)].

    D_α = α/(2σ²) for a Gaussian of noise multiplier σ; where records are Poisson-sampled, the closed
    form of Mironov, Talwar and Zhang (2019) for whole α, and orders that are not whole are left out.

    Args:
        orders: α > 1; by default the list of Mironov (2017), Section VI, without infinity.
    """

    orders: tuple[float, ...] = (1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8, 16, 32, 64)
    source: str = field(
        default="Mironov (2017), arXiv:1702.07476, Corollary 3 and Proposition 3; "
        "sampled: Mironov, Talwar and Zhang (2019), arXiv:1908.10530, Section 3.3",
        init=False,
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", tuple(self.orders))
        if not self.orders:
            raise ValueError("orders = (): must have at least one order")
        for order in self.orders:
            if checks.finite("orders", order) <= 1:
                raise ValueError(f"orders = {order!r}: must be above 1")

    def supports(self, event: Event) -> str | None:
        reason = gaussian.unsupported(event)
        if reason is not None:
            return reason
        releases = event.worst_case()
        if releases is not None and not self._usable(releases):
            return "with sampling the closed form needs a whole order, and none was asked for"
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        return self.path(event, delta, (getattr(event, "steps", 1),))[0]

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        refuse(self.supports(event), delta)
        releases = event.worst_case()
        if releases is None:
            assert isinstance(event, MeasuredGradients), "only these may have no worst case"
            notes = not_clipped(event)
            tail = min(-math.log(delta) / (order - 1) for order in self.orders)
            return tuple(
                statement("renyi", event, delta, math.inf if count else tail, notes, self.source) for count in steps
            )
        orders = self._usable(releases)
        kinds = gaussian.steps_of(releases)
        divergences = np.array([[divergence(order, kind) for kind, _ in kinds] for order in orders])
        notes = (f"orders {', '.join(f'{order:g}' for order in orders)}", *gaussian.notes_on(releases))
        found = []
        for count in steps:
            often = np.array(gaussian.counts_of(releases, count))
            totals = divergences[:, often > 0] @ often[often > 0]
            best = min(
                float(total) - math.log(delta) / (order - 1) for total, order in zip(totals, orders, strict=True)
            )
            found.append(statement("renyi", event, delta, best, notes, self.source))
        return tuple(found)

    def _usable(self, event: Event) -> tuple[float, ...]:
        sampled = any(step.rate < 1 for step, _ in gaussian.steps_of(event))
        return tuple(order for order in self.orders if not sampled or float(order).is_integer())


def divergence(order: float, step: gaussian.Step) -> float:
    """Rényi divergence of order ``order`` of one release."""
    if step.rate == 1:
        return order * step.precision / 2
    return float(log_moment(int(order) - 1, step.rate, np.array(step.precision))) / (order - 1)
