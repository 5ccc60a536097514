"""What one pair of neighbours really has of an account that holds for every pair, in either order."""

from __future__ import annotations

import dataclasses
from typing import Any

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.guarantee import REPLACING
from wassdp.accounting.subsampled import Subsampled


def one_way(event: Event) -> Event:
    """The releases of ``event`` for the worst neighbours of which one is replaced, as releases that a pair attains.

    Of sampled batches neighbours are the worst in one order: a record that enters at times, against one whose batches
    are all alike, whoever enters. Those are the two worlds of a Poisson batch that a record enters or not, also where
    batches have a fixed size. What is proven of a replaced record takes the worse order at every loss
    (Zhu, Dong and Wang 2022, Theorem 11): a pair that composes to more than any two sets of records do.

    Args:
        event: any; what is not about a replaced record, or not sampled, keeps its law.

    >>> from wassdp.accounting.events.gaussian import Gaussian
    >>> from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
    >>> gaussian = Gaussian(noise_multiplier=2.0, adjacency="replace-one")
    >>> one_way(SampledWithoutReplacement(event=gaussian, records=100, batch=10))
    PoissonSampled(event=Gaussian(noise_multiplier=2.0, adjacency='zero-out'), rate=0.1)
    """
    worst = event.worst_case() or event
    sampled = any(isinstance(part, Subsampled) for part in worst.within())
    return _one_way(worst) if sampled and worst.adjacency in REPLACING else worst


def _one_way(event: Event) -> Event:
    if isinstance(event, Composed):
        return Composed(events=tuple(map(_one_way, event.events)), counts=event.counts)
    if isinstance(event, Subsampled):
        return PoissonSampled(event=_one_way(event.event), rate=event.rate)
    changed: dict[str, Any] = {"adjacency": "zero-out"}
    return dataclasses.replace(event.reduced(), **changed)
