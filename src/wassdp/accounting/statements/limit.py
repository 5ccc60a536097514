"""What the two central limits of Gaussian differential privacy share."""

from __future__ import annotations

import math
from abc import abstractmethod

from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.formulas import conversions
from wassdp.accounting.guarantee import Guarantee

LIMIT = "a central limit for many steps, not an upper bound: it can be below the exact epsilon"


class LimitAccountant(Accountant):
    """The limit's statement: squared means add up, then ε(δ) of the Gaussian mechanism with their root."""

    @abstractmethod
    def variance(self, rate: float, noise: float) -> float:
        """μ² of one step from its rate, below 1, and its noise multiplier, above 0."""

    def supports(self, event: Event) -> str | None:
        for part, _ in event.parts():
            _, base = part.drawn()
            if not isinstance(base.reduced(), Gaussian):
                return f"{type(base).__name__}: the limit is stated for Gaussian releases"
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self.refuse(event, delta)
        total = 0.0
        for part, count in event.parts():
            rate, base = part.drawn()
            gaussian = base.reduced()
            assert isinstance(gaussian, Gaussian)
            if count and rate:
                total += count * self._step(rate, gaussian.noise_multiplier)
        notes = [LIMIT]
        if event.sampling == "without-replacement":
            notes.append("the sampling rate is read as batch over records")
        return self.guarantee(event, delta, conversions.gdp_to_epsilon(math.sqrt(total), delta), notes)

    def _step(self, rate: float, noise: float) -> float:
        if noise == 0:
            return math.inf
        if rate == 1:
            return noise**-2
        return math.inf if noise**-2 > 600 else self.variance(rate, noise)
