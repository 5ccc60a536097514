"""What both ways of drawing a batch share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Adjacency


class Subsampled(Event):
    """A release on a batch of the records.

    Attributes:
        event: what is released of a batch.
        rate: the probability that a record enters.
    """

    event: Event
    rate: float

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]  # no event's attribute can be set
        return self.event.adjacency

    def uncovered(self) -> str | None:
        """The reason why no theorem covers this sampling under this adjacency, or None."""
        return None

    def within(self) -> Iterator[Event]:
        yield self
        yield from self.event.within()

    def drawn(self) -> tuple[float, Event]:
        return self.rate, self.event

    def unbounded(self) -> bool:
        return self.event.unbounded()

    def variation(self) -> float:
        return self.event.variation()

    def refusal(self) -> str | None:
        unsampled = self.rate in (0, 1)
        return self.event.sampling_refusal() or (None if unsampled else self.uncovered()) or self.event.refusal()

    def sampling_refusal(self) -> str | None:
        return "sampling twice: give one rate"

    def under_published(self) -> Event | None:
        event = self.event.under_published()
        return None if event is None else dataclasses.replace(self, event=event)
