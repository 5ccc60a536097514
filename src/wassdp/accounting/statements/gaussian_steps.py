"""Compositions of (Poisson-sampled) Gaussian releases, as moments and Rényi accountants read them."""

from __future__ import annotations

from dataclasses import dataclass

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients


@dataclass(frozen=True)
class Step:
    """One kind of release: sampled with probability ``rate``, precision = (sensitivity / noise)²."""

    rate: float
    precision: float


def unsupported(event: Event) -> str | None:
    """The reason why ``event`` is no composition of Gaussian releases, full or Poisson-sampled; or None."""
    if isinstance(event, MeasuredGradients):
        if event.sampling not in ("full", "poisson"):
            return f"the formula is for Poisson sampling, records entered by {event.sampling}"
        return None
    for part in _composition(event).events:
        _, base = part.drawn()
        if not isinstance(base, Gaussian) or part.sampling not in ("full", "poisson"):
            return f"{type(part).__name__} of {type(base).__name__}: only Gaussian releases, full or Poisson-sampled"
    return None


def steps_of(event: Composed | Event) -> tuple[tuple[Step, int], ...]:
    """Kinds of release and their counts; call `unsupported` first."""
    composition = _composition(event)
    found = []
    for part, count in zip(composition.events, composition.counts, strict=True):
        rate, base = part.drawn()
        assert isinstance(base, Gaussian)
        multiplier = base.noise_multiplier
        found.append((Step(rate, multiplier**-2 if multiplier > 0 else float("inf")), count))
    return tuple(found)


def counts_of(event: Event, steps: int) -> tuple[int, ...]:
    """How often each kind of release of ``event`` occurs among the first ``steps``."""
    return _composition(event).first(steps).counts


def notes_on(event: Event) -> tuple[str, ...]:
    """What a bound for the pair (1−q)N(0)+qN(d) against N(0) does not prove about ``event``."""
    sampled = any(step.rate < 1 for step, _ in steps_of(event))
    if sampled and event.adjacency not in ("add-remove", "zero-out"):
        return (
            f"the formula is for a record added or removed; here it is read with the {event.adjacency} sensitivity",
        )
    return ()


def _composition(event: Event) -> Composed:
    return event if isinstance(event, Composed) else repeated(event, 1)
