"""What accountants share that add up moments of Gaussian releases, full or Poisson-sampled, over several orders."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.guarantee import Guarantee


@dataclass(frozen=True)
class GaussianStep:
    """One kind of release: sampled with probability ``rate``, precision = (sensitivity / noise)²."""

    rate: float
    precision: float


class GaussianStepsAccountant(Accountant):
    """The best budget over orders, each of the sum of what every release costs at it."""

    orders: tuple[float, ...]

    @abstractmethod
    def cost(self, order: float, step: GaussianStep) -> float:
        """What one release costs."""

    @abstractmethod
    def budget(self, total: float, order: float, delta: float) -> float:
        """ε of all releases that together cost ``total``."""

    def read(self, event: Event) -> Event:
        """The event as this accountant reads it."""
        return event

    def usable(self, releases: Event) -> tuple[float, ...]:
        """The orders at which all ``releases`` have a cost."""
        return self.orders

    def remarks(self, event: Event, releases: Event | None, orders: Sequence[float]) -> tuple[str, ...]:
        """What the figure rests on; ``releases`` are the event's as they are read, None where nothing is known."""
        return (f"orders {', '.join(f'{order:g}' for order in orders)}",)

    def supports(self, event: Event) -> str | None:
        event = self.read(event)
        if isinstance(event, MeasuredGradients):
            if event.sampling not in ("full", "poisson"):
                return f"the formula is for Poisson sampling, records entered by {event.sampling}"
            return None
        for part in _composition(event).events:
            _, base = part.drawn()
            if not isinstance(base, Gaussian) or part.sampling not in ("full", "poisson"):
                names = f"{type(part).__name__} of {type(base).__name__}"
                return f"{names}: only Gaussian releases, full or Poisson-sampled"
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        return self.path(event, delta, (event.steps,))[0]

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        self.refuse(event, delta)
        releases = self.read(event).worst_case()
        if releases is None:
            notes = self.remarks(event, None, self.orders)
            tail = min(self.budget(0.0, order, delta) for order in self.orders)
            return tuple(self.guarantee(event, delta, math.inf if count else tail, notes) for count in steps)
        composition, orders = _composition(releases), self.usable(releases)
        notes = (*self.remarks(event, releases, orders), *_other_adjacency(composition))
        costs = np.array([[self.cost(order, step_of(part)) for part in composition.events] for order in orders])
        values = []
        for count in steps:
            often = np.array(composition.first(count).counts)
            totals = (costs[:, often > 0] @ often[often > 0]).tolist()
            values.append(min(self.budget(total, order, delta) for total, order in zip(totals, orders, strict=True)))
        return tuple(self.guarantee(event, delta, value, notes) for value in values)


def step_of(part: Event) -> GaussianStep:
    """One Gaussian release, full or Poisson-sampled."""
    rate, base = part.drawn()
    assert isinstance(base, Gaussian)
    return GaussianStep(rate, base.noise_multiplier**-2 if base.noise_multiplier > 0 else math.inf)


def sampled(releases: Event) -> bool:
    """Whether records enter some release only with some probability."""
    return any(part.drawn()[0] < 1 for part in _composition(releases).events)


def _other_adjacency(releases: Composed) -> tuple[str, ...]:
    """What a bound for the pair (1−q)N(0)+qN(d) against N(0) does not prove about ``releases``."""
    if sampled(releases) and releases.adjacency not in ("add-remove", "zero-out"):
        return (
            f"the formula is for a record added or removed; here it is read with the {releases.adjacency} sensitivity",
        )
    return ()


def _composition(event: Event) -> Composed:
    return event if isinstance(event, Composed) else repeated(event, 1)
