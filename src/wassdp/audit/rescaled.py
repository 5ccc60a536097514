"""Releases with another amount of noise: the family that a family-based bound chooses from."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from wassdp import checks
from wassdp.accounting.event import Event

_SCALES: dict[str, Callable[[Any, float], Any]] = {
    "noise_multiplier": lambda noise, ratio: noise * ratio,
    "noise_std": lambda noise, ratio: noise * ratio,
    "inverse_temperature": lambda noise, ratio: noise / ratio,
}
"""Fields of events that say how much noise there is, and what becomes of them."""


def rescaled(event: Event, ratio: float) -> Event:
    """``event`` with all its noise multiplied by ``ratio``, whatever it is made of.

    Args:
        event: any; one that says nothing of its noise in a field of a known name stays as it is.
        ratio: above 0.

    Raises:
        ValueError: the ratio is out of range, or no part of the event says how much noise there is.

    >>> from wassdp.accounting.events.composed import repeated
    >>> from wassdp.accounting.events.gaussian import Gaussian
    >>> rescaled(repeated(Gaussian(noise_multiplier=2.0, adjacency="replace-one"), 3), 0.5)
    Composed(events=(Gaussian(noise_multiplier=1.0, adjacency='replace-one'),), counts=(3,))
    """
    checks.positive("ratio", ratio)
    if not any(_noise(part) for part in event.within()):
        raise ValueError(f"event = {type(event).__name__}: does not say how much noise there is")
    return _rescaled(event, ratio)


def _noise(event: Event) -> list[str]:
    return [field.name for field in dataclasses.fields(event) if field.name in _SCALES]


def _rescaled(event: Event, ratio: float) -> Event:
    changes: dict[str, Any] = {name: _SCALES[name](getattr(event, name), ratio) for name in _noise(event)}
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if isinstance(value, Event):
            changes[field.name] = _rescaled(value, ratio)
        elif isinstance(value, tuple) and any(isinstance(item, Event) for item in value):
            changes[field.name] = tuple(_rescaled(item, ratio) for item in value)
    return dataclasses.replace(event, **changes)
