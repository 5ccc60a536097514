"""Several releases of the same records, each of which may depend on what was seen before."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian, summed
from wassdp.accounting.guarantee import Adjacency, Sampling


@dataclass(frozen=True, kw_only=True)
class Composed(Event):
    """Adaptive composition: each event of ``events`` released ``counts`` times, in this order.

    Args:
        events: at least one, all of one neighbouring relation and one kind of sampling.
        counts: how often each is released, whole numbers of at least 0, as many as events.

    Raises:
        ValueError: lengths differ or are 0, a count is no such number, or relations or kinds of sampling differ.
    """

    events: tuple[Event, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.events) != len(self.counts) or not self.events:
            raise ValueError(f"counts = {self.counts!r}: must give one count for each of {len(self.events)} events")
        for count in self.counts:
            limits.count("counts", count)
        for what in ("adjacency", "sampling"):
            values = {getattr(event, what) for event in self.events}
            if len(values) > 1:
                raise ValueError(f"events: must share one {what}, not {', '.join(sorted(values))}")

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]  # no event's attribute can be set
        return self.events[0].adjacency

    @property
    def sampling(self) -> Sampling:  # type: ignore[override]
        return self.events[0].sampling

    @property
    def steps(self) -> int:
        return sum(self.counts)

    def first(self, steps: int) -> Composed:
        checks.whole("steps", steps)
        left, counts = steps, []
        for count in self.counts:
            counts.append(min(count, left))
            left -= counts[-1]
        if left:
            raise ValueError(f"steps = {steps}: must be at most {self.steps}")
        return dataclasses.replace(self, counts=tuple(counts))

    def within(self) -> Iterator[Event]:
        yield self
        for event in self.events:
            yield from event.within()

    def parts(self, times: int = 1) -> Iterator[tuple[Event, int]]:
        for event, count in zip(self.events, self.counts, strict=True):
            yield from event.parts(times * count)

    def unbounded(self) -> bool:
        return any(count and event.unbounded() for event, count in zip(self.events, self.counts, strict=True))

    def variation(self) -> float:
        return sum(count * event.variation() for event, count in zip(self.events, self.counts, strict=True))

    def refusal(self) -> str | None:
        return next((reason for event in self.events if (reason := event.refusal())), None)

    def sampling_refusal(self) -> str | None:
        if all(isinstance(event.reduced(), Gaussian) for event in self.events):
            return None
        return "several releases from one sampled batch: only Gaussian ones combine into one"

    def elementary(self) -> Gaussian | None:
        """One Gaussian release for several of the same batch; None where one of them has no noise."""
        single = [(part.elementary(), count) for part, count in self.flat()]
        gaussians = [(part, count) for part, count in single if isinstance(part, Gaussian)]
        return summed(gaussians) if len(gaussians) == len(single) else None

    def under_published(self) -> Event | None:
        events = tuple(event.under_published() or event for event in self.events)
        return None if events == self.events else dataclasses.replace(self, events=events)


def repeated(event: Event, steps: int) -> Composed:
    """``steps`` adaptive releases of ``event``: each may depend on what was released before.

    Args:
        event: one release.
        steps: a whole number of at least 0.

    Raises:
        ValueError: ``steps`` is no such number, or above 10^15.

    >>> from wassdp.accounting.events.laplace import Laplace
    >>> repeated(Laplace(noise_multiplier=2.0, adjacency="add-remove"), 3).steps
    3
    """
    return Composed(events=(event,), counts=(steps,))
