"""Event to dominating pairs: what is to be composed, seen from either side of the neighbouring relation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from wassdp.accounting import inexact
from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian, summed
from wassdp.accounting.profiles.base import Profile
from wassdp.accounting.profiles.sampled import Sampled, Side


@dataclass(frozen=True)
class OneSidedRelease:
    """One elementary release as seen from one side of the neighbouring relation.

    Args:
        event: an elementary mechanism.
        rate: probability that a record enters; 1 for a full batch.
        side: which pair sampling makes of the mechanism's own.
    """

    event: Event
    rate: float
    side: Side

    def profile(self, *, upper: bool, tail: float, detail: int) -> Profile:
        """Its dominating pair; where that is approximated, from above or from below."""
        pair = self.event.pair(upper=upper, tail=tail, detail=detail)
        return pair if self.rate == 1 else Sampled(pair, self.rate, self.side)

    @property
    def scale(self) -> float | None:
        """Spacing of a lattice that holds every atom, if there are atoms; None otherwise."""
        return self.event.pure_epsilon if self.rate == 1 else None


Direction = tuple[tuple[OneSidedRelease, int], ...]


def assumptions(event: Event) -> tuple[str, ...]:
    """What the dominating pairs of ``event`` rest on."""
    remarks = [remark for part in event.within() for remark in part.remarks()]
    if variation := event.variation():
        remarks.append(inexact.variation_note(variation))
    remarks += [assumption for part, _ in event.flat() for assumption in part.assumptions()]
    return tuple(dict.fromkeys(remarks))


def directions(event: Event) -> tuple[Direction, ...] | None:
    """The pairs to be composed: one `Direction` for each side, of which the worse counts.

    Returns:
        None where some release carries no noise, so that nothing is bounded; an empty direction where
        nothing was released at all.
    """
    if event.unbounded():
        return None
    merged: Counter[tuple[Event, float, tuple[Side, ...]]] = Counter()
    for part, count in event.flat():
        rate, release = part.drawn()
        if count == 0 or rate == 0:
            continue
        elementary = release.elementary()
        if elementary is None:
            return None
        merged[elementary, rate, part.sides() if rate < 1 else ("replace",)] += count
    full = [(key[0], count) for key, count in merged.items() if key[1] == 1 and isinstance(key[0], Gaussian)]
    rest = [(key, count) for key, count in merged.items() if not (key[1] == 1 and isinstance(key[0], Gaussian))]
    pairs = [((summed(full), 1.0, ("replace",)), 1), *rest] if full else rest
    width = max((len(sides) for (_, _, sides), _ in pairs), default=1)
    return tuple(
        tuple(
            (OneSidedRelease(base, rate, sides[min(i, len(sides) - 1)]), count) for (base, rate, sides), count in pairs
        )
        for i in range(width)
    )
