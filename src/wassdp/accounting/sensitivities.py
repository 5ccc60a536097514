"""One release under two bounds on its sensitivity: the smallest that is proven, and the paper's own."""

from __future__ import annotations

import dataclasses
from typing import Any

from wassdp.accounting.event import Event, WassersteinGradientStep
from wassdp.accounting.rounding import rounded

PUBLISHED = "_published_sensitivity"
"""Ends the name of an upper accountant that read the paper's sensitivity: a theorem too, and never a smaller budget."""
TIGHT = "_tight_sensitivity"
"""Ends the name of a published accountant that read this project's sensitivity."""


def under_published(event: Event) -> Event | None:
    """``event`` with the published sensitivity in the place of the proven one; None where it has no other.

    >>> step = WassersteinGradientStep(noise_std=2.0, sensitivity=1.0, published_sensitivity=2.0)
    >>> under_published(step)
    WassersteinGradientStep(noise_std=2.0, sensitivity=2.0, adjacency='replace-one', published_sensitivity=None)
    """
    if isinstance(event, WassersteinGradientStep):
        if event.published_sensitivity is None:
            return None
        return dataclasses.replace(event, sensitivity=event.published_sensitivity, published_sensitivity=None)
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if isinstance(value, Event):
            found = under_published(value)
            if found is not None:
                changed[field.name] = found
        elif isinstance(value, tuple) and any(isinstance(part, Event) for part in value):
            parts = tuple(under_published(part) or part for part in value)
            if parts != value:
                changed[field.name] = parts
    return dataclasses.replace(event, **changed) if changed else None


def note(event: Event, whose: str) -> str:
    """What a figure about ``event`` says of the sensitivity that it rests on: the largest of the event's parts."""
    return f"sensitivity {rounded(max(_all(event)), 'upper')}: {whose} bound"


def _all(event: Event) -> list[float]:
    if isinstance(event, WassersteinGradientStep):
        return [event.sensitivity]
    values = [getattr(event, field.name) for field in dataclasses.fields(event)]
    parts = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return [found for part in parts if isinstance(part, Event) for found in _all(part)]
