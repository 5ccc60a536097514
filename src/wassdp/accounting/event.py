"""What was released: frozen descriptions of mechanisms, composable and printable.

An event says what happened and under which neighbouring relation, never how it is accounted.
Accountants interpret events and refuse those that they do not know.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.elementary import (
    Directions as Directions,
)
from wassdp.accounting.elementary import (
    Event as Event,
)
from wassdp.accounting.elementary import (
    Gaussian as Gaussian,
)
from wassdp.accounting.elementary import (
    Gibbs as Gibbs,
)
from wassdp.accounting.elementary import (
    GradientStep as GradientStep,
)
from wassdp.accounting.elementary import (
    Laplace as Laplace,
)
from wassdp.accounting.elementary import (
    SlicedProjections as SlicedProjections,
)
from wassdp.accounting.elementary import (
    WassersteinGradientStep as WassersteinGradientStep,
)
from wassdp.accounting.guarantee import ADJACENCIES, REPLACING, Adjacency, Sampling, known_adjacency


@dataclass(frozen=True, kw_only=True)
class PoissonSampled(Event):
    """``event`` on a batch that each record enters independently with probability ``rate``."""

    event: Event
    rate: float
    sampling = "poisson"

    def __post_init__(self) -> None:
        checks.probability("rate", self.rate)

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]  # no attribute can be set
        return self.event.adjacency


@dataclass(frozen=True, kw_only=True)
class SampledWithoutReplacement(Event):
    """``event`` on a uniformly drawn batch of exactly ``batch`` of ``records`` records."""

    event: Event
    records: int
    batch: int
    sampling = "without-replacement"

    def __post_init__(self) -> None:
        limits.count("records", self.records, least=1)
        limits.count("batch", self.batch, least=1)
        if self.batch > self.records:
            raise ValueError(f"batch = {self.batch}: must be at most records = {self.records}")

    @property
    def rate(self) -> float:
        """The batch's share of the records."""
        return self.batch / self.records

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]
        return self.event.adjacency


@dataclass(frozen=True, kw_only=True)
class Composed(Event):
    """Adaptive composition: each event of ``events`` released ``counts`` times, in this order."""

    events: tuple[Event, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.events) != len(self.counts) or not self.events:
            raise ValueError(f"counts = {self.counts!r}: must give one count for each of {len(self.events)} events")
        for count in self.counts:
            limits.count("counts", count)
        for what in ("adjacency", "sampling"):
            found = {getattr(event, what) for event in self.events}
            if len(found) > 1:
                raise ValueError(f"events: must share one {what}, not {', '.join(sorted(found))}")

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]
        return self.events[0].adjacency

    @property
    def sampling(self) -> Sampling:  # type: ignore[override]
        return self.events[0].sampling

    @property
    def steps(self) -> int:
        """Number of releases."""
        return sum(self.counts)

    def first(self, steps: int) -> Composed:
        """The first ``steps`` releases of this composition."""
        checks.whole("steps", steps)
        left, counts = steps, []
        for count in self.counts:
            counts.append(min(count, left))
            left -= counts[-1]
        if left:
            raise ValueError(f"steps = {steps}: must be at most {self.steps}")
        return dataclasses.replace(self, counts=tuple(counts))


@dataclass(frozen=True, kw_only=True)
class Qualified(Composed):
    """A composition together with what is to be said beside every figure about it.

    Args:
        exposed: what else was released of the same records, without noise; if anything was, nothing is proved.
        notes: what every figure about these releases rests on besides.
        total_variation: how far, in total variation, what the code draws in one release is from the release's own law.

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


def qualified(releases: Composed, *, exposed: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> Qualified:
    """``releases`` with what is to be said beside every figure about them, beside what is said of them already."""
    if isinstance(releases, Qualified):
        return dataclasses.replace(releases, exposed=(*releases.exposed, *exposed), notes=(*releases.notes, *notes))
    return Qualified(events=releases.events, counts=releases.counts, exposed=exposed, notes=notes)


def qualifying(event: Event) -> Iterator[MeasuredGradients | Qualified]:
    """Every part of ``event``, itself included, that says what its figures rest on or what was exposed beside it."""
    if isinstance(event, MeasuredGradients | Qualified):
        yield event
    for part in event.events if isinstance(event, Composed) else ():
        yield from qualifying(part)


def repeated(event: Event, steps: int) -> Composed:
    """``steps`` adaptive releases of ``event``."""
    return Composed(events=(event,), counts=(steps,))


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredGradients(Event):
    """Noisy gradient steps together with distances that were measured between their gradients.

    The data-dependent accountants (Bayesian, Wasserstein) read the distances; worst-case ones read
    only ``noise_std``, ``clip_norm`` and ``rate``.

    Args:
        distances: d, shape (steps, pairs): L2 distances between sampled pairs of gradients.
        noise_std: standard deviation of the noise in each step, shape (steps,), unit of ``distances``.
        clip_norm: C, shape (steps,): L2 bound on one gradient; infinity where nothing was clipped.
        rate: q, probability that a record enters a step.
        adjacency: neighbouring relation of the measured pairs.
        sampling: how records entered a step.
        coordinates: n, number of coordinates of one gradient, where an accountant's formula needs it.
        threshold: the norm that the noise was scaled to, shape (steps,), where that is not ``clip_norm``
            because nothing was clipped. Nothing can be proved from it.
        steps_per_pass: where ``sampling`` is ``shuffled``, the steps in which every record enters exactly once.
        exposed: what else was released of the same records, without noise; if anything was, nothing is proved.
        measured_every: distances were measured at one step in so many and are repeated in between.
        notes: what every figure about these steps rests on besides.
    """

    distances: Float[np.ndarray, "steps pairs"]
    noise_std: Float[np.ndarray, " steps"]
    clip_norm: Float[np.ndarray, " steps"]
    rate: float
    adjacency: Adjacency
    sampling: Sampling = "poisson"
    coordinates: int | None = None
    threshold: Float[np.ndarray, " steps"] | None = None
    steps_per_pass: int | None = None
    exposed: tuple[str, ...] = ()
    measured_every: int = 1
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.probability("rate", self.rate)
        checks.one_of("adjacency", self.adjacency, ADJACENCIES)
        if self.coordinates is not None:
            checks.whole("coordinates", self.coordinates, least=1)
        checks.whole("measured_every", self.measured_every, least=1)
        if self.steps_per_pass is not None:
            checks.whole("steps_per_pass", self.steps_per_pass, least=1)
            if self.sampling != "shuffled" or self.adjacency != "replace-one":
                raise ValueError(
                    f"steps_per_pass = {self.steps_per_pass}: is for shuffled records under replace-one, "
                    f"not {self.sampling} under {self.adjacency}"
                )
        if self.distances.ndim != 2 or self.noise_std.shape != self.distances.shape[:1]:
            raise ValueError(f"noise_std has shape {self.noise_std.shape}: must match distances {self.distances.shape}")
        if not (np.isfinite(self.distances).all() and (self.distances >= 0).all()):
            raise ValueError("distances: must be finite and at least 0")
        if not (np.isfinite(self.noise_std).all() and (self.noise_std >= 0).all()):
            raise ValueError("noise_std: must be finite and at least 0")
        if self.clip_norm.shape != self.noise_std.shape or not (self.clip_norm > 0).all():
            raise ValueError(f"clip_norm: must be above 0 and of shape {self.noise_std.shape}")
        if self.threshold is not None and (
            self.threshold.shape != self.noise_std.shape
            or not ((self.threshold > 0) & np.isfinite(self.threshold)).all()
        ):
            raise ValueError(f"threshold: must be finite, above 0 and of shape {self.noise_std.shape}")

    @property
    def steps(self) -> int:
        """Number of releases."""
        return len(self.noise_std)

    def first(self, steps: int) -> MeasuredGradients:
        """The first ``steps`` releases."""
        checks.whole("steps", steps)
        if steps > self.steps:
            raise ValueError(f"steps = {steps}: must be at most {self.steps}")
        return dataclasses.replace(
            self,
            distances=self.distances[:steps],
            noise_std=self.noise_std[:steps],
            clip_norm=self.clip_norm[:steps],
            threshold=None if self.threshold is None else self.threshold[:steps],
        )

    def worst_case(self) -> Composed | None:
        r"""The same releases, as a worst-case accountant reads them: nothing that was measured enters.

        One gradient of norm at most C moves a sum by at most C when it is added, removed or set to
        zero, and by at most 2C when it is replaced, so step t is a Gaussian mechanism of noise
        multiplier ``noise_std[t] / C_t`` or ``noise_std[t] / (2 C_t)``.

        Under Poisson sampling and *replace-one* the pair is (1−q)N(0)+qN(g) against
        (1−q)N(0)+qN(g'), with ‖g−g'‖ ≤ 2C and ‖g‖, ‖g'‖ ≤ C. By advanced joint convexity (Balle,
        Barthe and Gaboardi 2018, Theorem 2) its profile at ε ≥ 0 is at most that of
        (1−q)N(0)+qN(2C) against N(0), and the case ε < 0 follows by symmetry: the same dominating
        profile as for sampling without replacement (Zhu, Dong and Wang 2022, Theorem 11) with γ = q.

        *Shuffled* records enter one step of every pass, whatever the order, and the order does not depend
        on the data: given all orders, the steps that a record does not enter are the same for both data
        sets, so what remains is an adaptive composition of one full Gaussian release for each pass, taken
        here with the least multiplier of the pass. Shuffling is not credited with any amplification.

        Returns:
            One event per stretch of equal noise multipliers; None where some step is not clipped or
            something is exposed, since no finite budget is then known.

        >>> MeasuredGradients(
        ...     distances=np.zeros((3, 1)), noise_std=np.full(3, 0.4), clip_norm=np.full(3, 2.0),
        ...     rate=0.001, adjacency="replace-one",
        ... ).worst_case()
        Composed(events=(PoissonSampled(event=Gaussian(noise_multiplier=0.1, adjacency='replace-one'), rate=0.001),),
                 counts=(3,))
        """
        if self.exposed or not np.isfinite(self.clip_norm).all():
            return None
        reach = 2.0 if self.adjacency in REPLACING else 1.0
        if self.steps == 0:
            return repeated(self._sampled(Gaussian(noise_multiplier=0.0, adjacency=self.adjacency)), 0)
        events: list[Event] = []
        counts: list[int] = []
        multipliers = self.noise_std / (reach * self.clip_norm)
        if self.steps_per_pass is not None:
            multipliers = np.minimum.reduceat(multipliers, np.arange(0, self.steps, self.steps_per_pass))
        for stretch in _stretches(multipliers):
            # Quotients that differ by rounding are one multiplier: the smallest of them, never a larger one.
            multiplier = float(stretch.min())
            events.append(self._sampled(Gaussian(noise_multiplier=multiplier, adjacency=self.adjacency)))
            counts.append(len(stretch))
        return Composed(events=tuple(events), counts=tuple(counts))

    def _sampled(self, event: Event) -> Event:
        if self.sampling == "full" or self.rate == 1 or self.steps_per_pass is not None:
            return event
        if self.sampling == "poisson":
            return PoissonSampled(event=event, rate=self.rate)
        raise ValueError(
            f"sampling = {self.sampling!r}: only full, poisson and shuffled in known passes have a worst case here"
        )


def _stretches(values: np.ndarray) -> list[np.ndarray]:
    """Consecutive parts of ``values`` that are equal within a relative 1e-12."""
    changes = np.flatnonzero(np.abs(np.diff(values)) > 1e-12 * values[1:]) + 1
    return np.split(values, changes)


FORMER_FIELDS = {"relation": "adjacency", "scheme": "sampling"}
"""What fields of stored events were called, and what they are called."""


def encode(event: Event) -> dict[str, Any]:
    """``event`` as a JSON value that `decode` turns back; arrays are kept bit for bit."""
    return {"type": type(event).__name__} | {
        field.name: _encode(getattr(event, field.name)) for field in dataclasses.fields(event)
    }


def decode(value: dict[str, Any]) -> Event:
    """The event that `encode` wrote, also where the fields and adjacencies had their former names.

    Raises:
        ValueError: the value names no event class of this module.
    """
    classes = {found.__name__: found for found in _subclasses(Event)}
    name = checks.one_of("event type", value.get("type"), classes.keys())
    fields = {FORMER_FIELDS.get(key, key): _decode(item) for key, item in value.items() if key != "type"}
    if "adjacency" in fields:
        fields["adjacency"] = known_adjacency(fields["adjacency"])
    return classes[str(name)](**fields)


def _subclasses(parent: type[Event]) -> list[type[Event]]:
    return [found for child in parent.__subclasses__() for found in (child, *_subclasses(child))]


def _encode(value: Any) -> Any:
    if isinstance(value, Event):
        return encode(value)
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, np.ndarray):
        content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"dtype": str(value.dtype), "shape": list(value.shape), "base64": content}
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, dict) and "type" in value:
        return decode(value)
    if isinstance(value, dict) and "base64" in value:
        flat = np.frombuffer(base64.b64decode(value["base64"]), dtype=value["dtype"])
        return flat.reshape(value["shape"])
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    return value
