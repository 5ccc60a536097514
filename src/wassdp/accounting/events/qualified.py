"""Compositions with what is to be said beside every figure about them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting.events.composed import Composed


@dataclass(frozen=True, kw_only=True)
class Qualified(Composed):
    """A composition together with what is to be said beside every figure about it.

    Args:
        exposed: what else was released of the same records, without noise; if anything was, nothing is proved.
        notes: what every figure about these releases rests on besides.
        total_variation: how far, in total variation, what the code draws in one release is from the release's own law.

    >>> from wassdp.accounting.events.gaussian import Gaussian
    >>> part = Gaussian(noise_multiplier=1.0, adjacency="replace-one")
    >>> Qualified(events=(part,), counts=(5,), exposed=("the batch's largest norm",)).first(2).exposed
    ("the batch's largest norm",)
    """

    exposed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    total_variation: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.probability("total_variation", self.total_variation)

    def unbounded(self) -> bool:
        return bool(self.exposed and self.steps) or super().unbounded()

    def variation(self) -> float:
        releases = sum(times * part.steps for part, times in self.parts())
        return releases * self.total_variation + super().variation()


def qualified(releases: Composed, *, exposed: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> Qualified:
    """``releases`` with what is to be said beside every figure about them, beside what is said of them already."""
    if isinstance(releases, Qualified):
        return dataclasses.replace(releases, exposed=(*releases.exposed, *exposed), notes=(*releases.notes, *notes))
    return Qualified(events=releases.events, counts=releases.counts, exposed=exposed, notes=notes)
