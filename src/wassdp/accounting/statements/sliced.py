"""Proposition 2 of DP-SWD, with the tail bound on the sensitivity left open."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.formulas import renyi
from wassdp.accounting.guarantee import Guarantee

ONE_TAIL = "the sensitivity's tail event is counted once, not once in every step"


class SlicedAccountant(Accountant):
    """ε = min_α [T D_α + log(1/(share δ))/(α-1)], D_α at the sensitivity that is exceeded with probability δ/2.

    Attributes:
        share: part of δ that the Rényi conversion uses.
        notes: what it does not prove.
    """

    share: ClassVar[float] = 0.5
    notes: ClassVar[tuple[str, ...]] = (ONE_TAIL,)

    @staticmethod
    @abstractmethod
    def squared_sensitivity(projections: int, dimension: int, tail: float) -> float:
        """w(k, d, δ'), the bound on the squared sensitivity with probability 1 - δ'."""

    def supports(self, event: Event) -> str | None:
        for part, _ in event.parts():
            _, base = part.drawn()
            if not isinstance(base, SlicedProjections) or part.sampling == "poisson":
                return f"{type(part).__name__}: Proposition 2 is for projections, full or drawn without replacement"
            if base.directions != "iid":
                return "Proposition 2 is for iid directions"
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self.refuse(event, delta)
        orders = np.arange(2.0, 257.0)
        total = np.zeros(orders.size)
        for part, count in event.parts():
            rate, base = part.drawn()
            assert isinstance(base, SlicedProjections)
            if not count:
                continue
            bound = base.distance**2 * self.squared_sensitivity(base.projections, base.dimension, delta / 2)
            noise = base.noise_std / math.sqrt(bound)
            divergences = renyi.gaussian_divergence(orders, noise)
            if rate < 1:
                divergences = renyi.without_replacement_divergence(orders, rate, divergences)
            total += count * divergences
        value = 0.0 if not total.any() else float((total - math.log(self.share * delta) / (orders - 1)).min())
        return self.guarantee(event, delta, value, self.notes)
