"""Rényi accounting in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from wassdp.accounting import inexact, limits
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event, Orders, UnknownError
from wassdp.accounting.formulas import renyi, small
from wassdp.accounting.guarantee import Guarantee

_TWO = np.array([2.0])
ORDERS = (*range(2, 65), *(2**i * j for i in range(4) for j in range(72, 136, 8)), 1024, 2048, 4096)


@dataclass(frozen=True)
class RDPAccountant(Accountant):
    r"""ε = min_α [Σ_t D_α(t) + log((α-1)/α) - (log δ + log α)/(α-1)], over whole orders α.

    D_α in closed form: Gaussian, Laplace, pure ε-DP, DP-SWD by ₁F₁; Poisson-sampled Gaussian and DP-SWD
    (Mironov, Talwar, Zhang 2019, Section 3.3); without replacement by Wang, Balle, Kasiviswanathan (2019), Theorems 9
    and 27.

    Every divergence is rounded up by what its terms can have lost, and so is ε: together at most a relative 1e-9
    of ε. How far the theorems themselves lie above the smallest ε is not computed: there is no ``epsilon_error``.

    Args:
        orders: α, whole numbers of at least 2.
    """

    orders: tuple[int, ...] = tuple(sorted(set(ORDERS)))
    counts_variation = True
    source = "Mironov (2017), arXiv:1702.07476; Canonne, Kamath, Steinke (2020), arXiv:2004.00010, Proposition 12"

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", limits.orders("orders", self.orders, least=2))

    def supports(self, event: Event) -> str | None:
        if reason := event.refusal():
            return reason
        try:
            for part, _ in event.flat():
                part.renyi(_TWO)
        except UnknownError as error:
            return str(error)
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self.refuse(event, delta)
        return self.guarantee(event, delta, self._value(event, delta))

    def _value(self, event: Event, delta: float) -> float:
        if event.unbounded():
            return math.inf
        total, parts = np.zeros(len(self.orders)), 0
        for part, count in event.flat():
            parts += 1
            if count:
                total += float(count) * _divergence(part, self.orders) * (1 + 16 * small.UNIT)
        # Adding up n of them, each at least 0, costs n roundings.
        total *= 1 + 2 * parts * small.UNIT
        orders = np.array(self.orders, dtype=float)
        return inexact.raised(lambda left: renyi.to_epsilon(orders, total, left), delta, event.variation())


@lru_cache(maxsize=4096)
def _divergence(event: Event, orders: tuple[int, ...]) -> Orders:
    """D_α of one release; kept, since paths, calibration and tables ask for the same release again and again."""
    divergences = event.renyi(np.array(orders, dtype=float))
    divergences.setflags(write=False)
    return divergences
