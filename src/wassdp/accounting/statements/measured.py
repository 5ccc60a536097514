"""What accountants share that read the distances measured between gradients."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.guarantee import Guarantee


class MeasuredAccountant(Accountant):
    """An accountant that refuses events without measured distances, and accounts along them at once."""

    @abstractmethod
    def along(self, event: MeasuredGradients, delta: float, steps: Sequence[int]) -> Iterable[float]:
        """ε of the first ``n`` steps of an event that is supported, for each n of ``steps``."""

    @abstractmethod
    def remarks(self, event: MeasuredGradients) -> tuple[str, ...]:
        """What a figure rests on, beside how the distances were measured and the sampling is read."""

    def supports(self, event: Event) -> str | None:
        if isinstance(event, MeasuredGradients):
            return self.lacking(event)
        return f"{type(event).__name__} has no measured distances between gradients"

    def lacking(self, event: MeasuredGradients) -> str | None:
        """The reason why ``event`` was not measured well enough, or None."""
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        return self.path(event, delta, (event.steps,))[0]

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        self.refuse(event, delta)
        assert isinstance(event, MeasuredGradients)
        notes = (*self.remarks(event), *reading(event))
        if event.measured_every > 1:
            notes += (f"distances were measured at one step in {event.measured_every} and are repeated in between",)
        return tuple(self.guarantee(event, delta, float(value), notes) for value in self.along(event, delta, steps))


def running_totals(losses: Float[np.ndarray, " steps"], steps: Sequence[int]) -> list[float]:
    """Sum of the first ``n`` losses, for each n of ``steps``.

    Raises:
        ValueError: an n is below 0 or above the number of losses.
    """
    totals = np.concatenate(([0.0], np.cumsum(losses)))
    for count in steps:
        if checks.whole("steps", count) >= len(totals):
            raise ValueError(f"steps = {count}: must be at most {len(losses)}")
    return [float(totals[count]) for count in steps]


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
