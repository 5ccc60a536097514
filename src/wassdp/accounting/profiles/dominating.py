"""Event to dominating pairs: which theorem covers which neighbouring relation and sampling."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wassdp.accounting import inexact
from wassdp.accounting.event import (
    Composed,
    Event,
    Gaussian,
    Gibbs,
    Laplace,
    MeasuredGradients,
    PoissonSampled,
    Qualified,
    SampledWithoutReplacement,
    SlicedProjections,
    qualifying,
)
from wassdp.accounting.guarantee import REPLACING
from wassdp.accounting.profiles.base import Profile, Symmetric
from wassdp.accounting.profiles.gaussian import GaussianMixture
from wassdp.accounting.profiles.laplace import Laplace as LaplaceProfile
from wassdp.accounting.profiles.pure import Pure
from wassdp.accounting.profiles.sampled import Sampled, Side
from wassdp.accounting.profiles.sliced import sliced

THEOREM_11 = "sampling without replacement under replace-one: Zhu, Dong, Wang (2022), Theorem 11"
POISSON_REPLACE = (
    "Poisson sampling under replace-one: advanced joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2); "
    "leaving a record out moves the query no further than replacing it"
)
POISSON_ZERO = "Poisson sampling under zero-out: batches padded with noised zero rows to a fixed size"
REVEALED = "batches are not padded: the size of each batch is released, and sampling gives delta -> q delta only"
SHUFFLED = (
    "shuffled batches: the order is drawn independently of the data, and every record enters one step of each pass, "
    "which counts as one full release; no amplification by shuffling is claimed"
)
DATA_FREE_DIRECTIONS = "directions are drawn afresh in every release, independently of the data"


@dataclass(frozen=True)
class Part:
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
        base = _base(self.event, upper=upper, tail=tail, detail=detail)
        return base if self.rate == 1 else Sampled(base, self.rate, self.side)

    @property
    def approximated(self) -> bool:
        """Whether the pair itself, not only its composition, is approximated."""
        return isinstance(self.event, SlicedProjections)

    @property
    def scale(self) -> float | None:
        """Spacing of a lattice that holds every atom, if there are atoms; None otherwise."""
        if self.rate < 1:
            return None
        if isinstance(self.event, Laplace):
            return 1 / self.event.noise_multiplier
        return self.event.pure_epsilon if isinstance(self.event, Gibbs) else None


Direction = tuple[tuple[Part, int], ...]


def refusal(event: Event) -> str | None:
    """None if a theorem gives ``event`` a dominating pair, else the reason why not."""
    if isinstance(event, MeasuredGradients):
        if event.sampling not in ("full", "poisson") and event.steps_per_pass is None:
            return f"sampling {event.sampling!r} of measured gradients has no worst case here"
        worst = event.worst_case()
        return None if worst is None else refusal(worst)
    if isinstance(event, Composed):
        return next((reason for part in event.events if (reason := refusal(part))), None)
    if isinstance(event, PoissonSampled | SampledWithoutReplacement):
        return _sampling_refusal(event, event.event)
    known = (Gaussian, Laplace, Gibbs, SlicedProjections)
    if isinstance(event.reduced(), known):
        return None
    return f"no privacy profile is known for {type(event).__name__}"


def _sampling_refusal(event: PoissonSampled | SampledWithoutReplacement, inner: Event) -> str | None:
    if isinstance(inner, PoissonSampled | SampledWithoutReplacement):
        return "sampling twice: give one rate"
    if isinstance(inner, MeasuredGradients):
        return "measured gradients carry their own sampling"
    if isinstance(inner, Composed) and not all(isinstance(part.reduced(), Gaussian) for part in inner.events):
        return "several releases from one sampled batch: only Gaussian ones combine into one"
    if isinstance(inner, Gibbs):
        return "a Gibbs draw refers to all records: sampling does not apply"
    if event.rate in (0, 1):
        return refusal(inner)
    adjacency = event.adjacency
    if isinstance(event, SampledWithoutReplacement) and adjacency not in REPLACING:
        return f"sampling without replacement fixes the batch size: no theorem covers adjacency {adjacency!r}"
    return refusal(inner)


def assumptions(event: Event) -> tuple[str, ...]:
    """What the dominating pairs of ``event`` rest on."""
    found: dict[str, None] = {}
    for said in qualifying(event):
        if isinstance(said, MeasuredGradients) and said.steps_per_pass is not None:
            found[SHUFFLED] = None
        found |= dict.fromkeys(said.notes)
        found |= {f"released without noise, so that nothing is bounded: {each}": None for each in said.exposed}
    if variation := inexact.total_variation(event):
        found[inexact.note(variation)] = None
    for part, _ in flat(event):
        inner = part.event if isinstance(part, PoissonSampled | SampledWithoutReplacement) else part
        if isinstance(inner, SlicedProjections):
            found[DATA_FREE_DIRECTIONS] = None
        if isinstance(part, SampledWithoutReplacement) and part.rate < 1:
            found[THEOREM_11] = None
        if isinstance(part, PoissonSampled) and part.rate < 1:
            if isinstance(inner, SlicedProjections) and not inner.padded:
                found[REVEALED] = None
            elif part.adjacency == "zero-out":
                found[POISSON_ZERO] = None
            elif part.adjacency in REPLACING:
                found[POISSON_REPLACE] = None
    return tuple(found)


def unbounded(event: Event) -> bool:
    """Whether something beside the noisy releases of ``event`` keeps every budget from being known."""
    if isinstance(event, MeasuredGradients):
        return event.worst_case() is None
    if not isinstance(event, Composed):
        return False
    if isinstance(event, Qualified) and event.exposed and event.steps:
        return True
    return any(count and unbounded(part) for part, count in zip(event.events, event.counts, strict=True))


def directions(event: Event) -> tuple[Direction, ...] | None:
    """The pairs to be composed: one `Direction` for each side, of which the worse counts.

    Returns:
        None where some release carries no noise, so that nothing is bounded; an empty direction where
        nothing was released at all.
    """
    if unbounded(event):
        return None
    merged: dict[tuple[Event, float, tuple[Side, ...]], int] = {}
    for part, count in flat(event):
        rate, inner = 1.0, part
        if isinstance(part, PoissonSampled | SampledWithoutReplacement):
            rate, inner = part.rate, part.event
        if count == 0 or rate == 0:
            continue
        elementary = _elementary(inner)
        if elementary is None:
            return None
        key = (elementary, rate, _sides(part) if rate < 1 else ("replace",))
        merged[key] = merged.get(key, 0) + count
    full = [(key[0], count) for key, count in merged.items() if key[1] == 1 and isinstance(key[0], Gaussian)]
    rest = [(key, count) for key, count in merged.items() if not (key[1] == 1 and isinstance(key[0], Gaussian))]
    pairs = [((_summed(full), 1.0, ("replace",)), 1), *rest] if full else rest
    width = max((len(sides) for (_, _, sides), _ in pairs), default=1)
    return tuple(
        tuple((Part(base, rate, sides[min(i, len(sides) - 1)]), count) for (base, rate, sides), count in pairs)
        for i in range(width)
    )


def _sides(event: Event) -> tuple[Side, ...]:
    if isinstance(event, PoissonSampled):
        if isinstance(event.event, SlicedProjections) and not event.event.padded:
            return ("revealed",)
        if event.adjacency in ("add-remove", "zero-out"):
            return ("add", "remove")
    return ("replace",)


def flat(event: Event, times: int = 1) -> Iterator[tuple[Event, int]]:
    """The single releases of ``event`` and their counts, measured gradients as their worst case."""
    if isinstance(event, MeasuredGradients):
        worst = event.worst_case()
        if worst is not None:
            yield from flat(worst, times)
    elif isinstance(event, Composed):
        for part, count in zip(event.events, event.counts, strict=True):
            yield from flat(part, times * count)
    else:
        yield event, times


def _elementary(event: Event) -> Event | None:
    """``event`` as one elementary mechanism; None where it has no noise."""
    if isinstance(event, Composed):
        parts = [(_elementary(part), count) for part, count in flat(event)]
        if any(part is None for part, _ in parts):
            return None
        return _summed([(part, count) for part, count in parts if part is not None])
    event = event.reduced()
    if isinstance(event, Gaussian | Laplace) and event.noise_multiplier == 0:
        return None
    if isinstance(event, SlicedProjections):
        if event.noise_std == 0:
            return None
        # One key for equal mechanisms; adjacency and padding have had their say.
        return replace(event, noise_std=event.noise_std / event.distance, distance=1.0)
    return event


def _summed(gaussians: Sequence[tuple[Event, int]]) -> Gaussian:
    """Gaussian releases of one batch are one Gaussian release, of squared sensitivities added up."""
    first = gaussians[0][0]
    precision = sum(count / event.noise_multiplier**2 for event, count in gaussians)  # type: ignore[attr-defined]
    return Gaussian(
        noise_multiplier=math.inf if precision == 0 else 1 / math.sqrt(precision), adjacency=first.adjacency
    )


def _base(event: Event, *, upper: bool, tail: float, detail: int) -> Symmetric:
    if isinstance(event, Gaussian):
        return GaussianMixture.single(1 / event.noise_multiplier**2)
    if isinstance(event, Laplace):
        return LaplaceProfile(1 / event.noise_multiplier)
    if isinstance(event, Gibbs):
        return Pure(event.pure_epsilon)
    if isinstance(event, SlicedProjections):
        return sliced(event, upper=upper, tail=tail, detail=detail)
    raise ValueError(f"event: no privacy profile is known for {type(event).__name__}")
