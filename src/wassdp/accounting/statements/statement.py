"""What published accountants share: the shape of their statements and the checks of their options."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.guarantee import Guarantee, as_epsilon


def statement(
    accountant: str, event: Event, delta: float, value: float, assumptions: Iterable[str], source: str
) -> Guarantee:
    """A published figure about ``event``, with what qualifies it; infinity becomes an unbounded statement."""
    return Guarantee(
        accountant=accountant,
        kind="published",
        epsilon=as_epsilon(value),
        bounded=math.isfinite(value),
        delta=delta,
        adjacency=event.adjacency,
        sampling=event.sampling,
        assumptions=tuple(dict.fromkeys((*assumptions, *_qualifying(event, math.isfinite(value))))),
        source=source,
    )


def whole_orders(name: str, values: Iterable[int]) -> tuple[int, ...]:
    """Orders as a tuple, if each is a whole number of at least 1.

    Raises:
        ValueError: there is none, or one is not a whole number of at least 1.
    """
    orders = tuple(values)
    if not orders:
        raise ValueError(f"{name} = (): must have at least one order")
    for order in orders:
        checks.whole(name, order, least=1)
    return orders


def refuse(reason: str | None, delta: float) -> None:
    """Raise where an accountant does not support an event, or delta is not in (0, 1)."""
    checks.open_unit("delta", delta)
    if reason is not None:
        raise ValueError(f"event: {reason}")


def not_measured(event: Event) -> str | None:
    """The reason why an accountant that reads measured distances cannot account for ``event``, or None."""
    if not isinstance(event, MeasuredGradients):
        return f"{type(event).__name__} has no measured distances between gradients"
    return None


def reading(event: MeasuredGradients) -> tuple[str, ...]:
    """How a formula for a mixture (1−q)N(0, s²) + qN(d, s²) reads sampling that is not Poisson's."""
    if event.sampling == "poisson":
        return ()
    words = {"shuffled": "in shuffled passes"}.get(event.sampling, f"by {event.sampling}")
    return (f"the formula takes the rate as an independent sampling probability; records entered a step {words}",)


def not_clipped(event: MeasuredGradients) -> tuple[str, ...]:
    """That nothing bounds the gradients' distance, where some were not clipped."""
    if np.isfinite(event.clip_norm).all():
        return ()
    return ("the gradients were not clipped, so nothing bounds their distance",)


def measuring(event: MeasuredGradients) -> tuple[str, ...]:
    """How often the distances were measured, where that was not at every step."""
    if event.measured_every == 1:
        return ()
    return (f"distances were measured at one step in {event.measured_every} and are repeated in between",)


def _qualifying(event: Event, bounded: bool) -> tuple[str, ...]:
    """What was released without noise beside the releases of an event, and what else a figure about them rests on."""
    word = "leaves out what was released without noise" if bounded else "released without noise"
    return tuple(
        note for part in event.within() for note in (*(f"{word}: {each}" for each in part.exposed), *part.notes)
    )
