"""One release under two bounds on its sensitivity: the smallest that is proven, and the paper's own."""

from __future__ import annotations

from wassdp.accounting.event import Event
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep
from wassdp.accounting.rounding import rounded

PUBLISHED = "_published_sensitivity"
"""Ends the name of an upper accountant that read the paper's sensitivity: a theorem too, and never a smaller budget."""
TIGHT = "_tight_sensitivity"
"""Ends the name of a published accountant that read this project's sensitivity."""


def sensitivity_note(event: Event, whose: str) -> str:
    """What a figure about ``event`` says of the sensitivity that it rests on: the largest of the event's parts."""
    largest = max(part.sensitivity for part in event.within() if isinstance(part, WassersteinGradientStep))
    return f"sensitivity {rounded(largest, 'upper')}: {whose} bound"
