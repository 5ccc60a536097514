"""What was released: what every event offers, and how one is written down. Each event is a file of `events`.

An event says what happened and under which neighbouring relation, and its file holds what is known of it: its
dominating pair, its Rényi divergence, its zCDP. Accountants ask for these and refuse events of which they are not
known.
"""

from __future__ import annotations

import base64
import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.commands import Command
from wassdp.accounting.formulas import renyi, small
from wassdp.accounting.guarantee import Adjacency, Sampling, known_adjacency
from wassdp.accounting.profiles.base import Symmetric, Vector
from wassdp.accounting.profiles.pure import Pure
from wassdp.accounting.profiles.sampled import Side
from wassdp.plugins import Plugins

EVENTS = Plugins("wassdp.accounting.events", "event")
FORMER_FIELDS = {"relation": "adjacency", "scheme": "sampling"}
"""What fields of stored events were called, and what they are called."""
Orders = Float[np.ndarray, " orders"]


class UnknownError(ValueError):
    """What an accountant asks of an event is not known of it; the line says what, and who covers the event."""


class Event:
    """Anything released from private data: a frozen dataclass.

    What is not overridden is the answer of one release, on all records, of which nothing is known. A mechanism of
    which only pure differential privacy is known overrides `pure_epsilon`; every other one `pair` and, where there are
    closed forms, `renyi`, `log_moments` and `rho`; what is another event in disguise, `reduced`.

    Attributes:
        adjacency: the neighbouring relation under which its parameters hold.
        sampling: how records enter each release.
        exposed: what else was released of the same records, without noise; if anything was, nothing is proved.
        notes: what every figure about it rests on besides.
        approximated: whether the dominating pair itself, not only its composition, is approximated.
        padded: whether batches on which it is released have a fixed size.
        commands: what it is called on the command line (`wassdp.accounting.commands`).
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]  # every event is a dataclass
    adjacency: Adjacency
    sampling: Sampling = "full"
    exposed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    approximated: bool = False
    padded: bool = True
    commands: tuple[Command, ...] = ()

    @classmethod
    def typed(cls, options: Mapping[str, Any], adjacency: Adjacency) -> Event:
        """One release as the options of a command line describe it.

        Raises:
            ValueError: an option is missing or out of range.
        """
        raise NotImplementedError(f"{cls.__name__} has no command")

    @property
    def steps(self) -> int:
        """Number of releases."""
        return 1

    def first(self, steps: int) -> Event:
        """The first ``steps`` releases.

        Raises:
            ValueError: there are not so many, or this is no composition.
        """
        raise ValueError(f"event = {type(self).__name__}: has no steps to account along")

    def within(self) -> Iterator[Event]:
        """This event and all that it is made of."""
        yield self

    def parts(self, times: int = 1) -> Iterator[tuple[Event, int]]:
        """The single releases of ``times`` such events, and how often each is made."""
        yield self, times

    def flat(self) -> Iterator[tuple[Event, int]]:
        """`parts`, each as worst-case accountants read it; nothing of one that has no worst case."""
        for part, times in self.parts():
            worst = part.worst_case()
            if worst is not None:
                yield from worst.parts(times)

    def worst_case(self) -> Event | None:
        """The same releases without anything measured; None where no finite budget is then known."""
        return self

    def drawn(self) -> tuple[float, Event]:
        """The share of the records that enter, and what is released of them."""
        return 1.0, self

    def sides(self) -> tuple[Side, ...]:
        """The pairs that sampling makes of what is `drawn`, of which the worse counts."""
        return ("replace",)

    def reduced(self) -> Event:
        """The same release as the simplest event that it is, e.g. a gradient step as a `Gaussian`."""
        return self

    @property
    def noiseless(self) -> bool:
        """Whether there is no noise, so that nothing is bounded."""
        return False

    def elementary(self) -> Event | None:
        """The same release as that of one mechanism, equal for all that are equal; None where it has no noise."""
        reduced = self.reduced()
        if reduced is not self:
            return reduced.elementary()
        return None if self.noiseless else self

    def unbounded(self) -> bool:
        """Whether something beside the noisy releases keeps every budget from being known."""
        return False

    def variation(self) -> float:
        """τ of all releases together: how far what the code draws is from the releases' own law."""
        return 0.0

    def remarks(self) -> tuple[str, ...]:
        """What is to be said beside every upper bound on the budget of this event."""
        return (*self.notes, *(f"released without noise, so that nothing is bounded: {what}" for what in self.exposed))

    def assumptions(self) -> tuple[str, ...]:
        """What the dominating pairs of this one release rest on."""
        return ()

    @property
    def pure_epsilon(self) -> float | None:
        """ε of its pure differential privacy, infinity without noise; None where there is none.

        Losses that have a probability of their own are multiples of it.
        """
        return None

    @property
    def large(self) -> bool:
        """Whether its losses are beyond what lattices are for."""
        return self.pure_epsilon is not None and self.pure_epsilon >= limits.LARGE_LOSS

    def refusal(self) -> str | None:
        """None if a theorem gives this event a dominating pair, else the reason why not."""
        reduced = self.reduced()
        if reduced is not self:
            return reduced.refusal()
        known = type(self).pair is not Event.pair or self.pure_epsilon is not None
        return None if known else f"no privacy profile is known for {type(self).__name__}"

    def sampling_refusal(self) -> str | None:
        """The reason why no theorem covers this event on a sampled batch, or None."""
        return None

    def pair(self, *, upper: bool, tail: float, detail: int) -> Symmetric:
        """The dominating pair of one release with noise on all records: `elementary`'s.

        Args:
            upper: where it is approximated, from above or from below.
            tail: probability up to which losses may be left out, or treated as unbounded.
            detail: each doubling quarters the error of an approximation.

        Raises:
            UnknownError: none is known.
        """
        if self.pure_epsilon is None:
            raise UnknownError(f"event: {self.refusal()}")
        return Pure(self.pure_epsilon)

    def published_batches(self, entered: Vector, tails: Vector) -> tuple[Vector, Vector, bool]:
        """Releases that a record is known to enter, as one Gaussian and one pure release: `elementary`'s.

        Args:
            entered: how many they are.
            tails: probabilities with which a sensitivity that is random may be larger.

        Returns:
            Variance of the Gaussian loss, the pure epsilon, and whether the sensitivity is random.
        """
        pure = np.full(entered.size, math.inf) if self.pure_epsilon is None else entered * self.pure_epsilon
        return np.zeros(entered.size), pure, False

    def renyi(self, orders: Orders) -> Orders:
        """Rényi divergence, from above, at whole ``orders`` of at least 2.

        Raises:
            UnknownError: there is no closed form here.
        """
        if self.pure_epsilon is not None:
            return renyi.pure_divergence(orders, self.pure_epsilon)
        return self._reduced(f"{type(self).__name__}: no Rényi divergence is known here; pld has it").renyi(orders)

    def log_moments(self, orders: Orders) -> Orders:
        """(α-1) times `renyi`, of a mechanism whose closed form is known for sampled batches too.

        Raises:
            UnknownError: it is not.
        """
        unknown = f"sampled {type(self).__name__}: no closed form here; pld has it"
        return self._reduced(unknown).log_moments(orders)

    def log_differences(self, most: int) -> Orders | None:
        """Log E_Q[(P/Q - 1)^l] for l = 2, 4, ..., up to ``most``; None where no closed form is known."""
        return None

    def rho(self) -> float:
        """ρ of zero-concentrated differential privacy, from above.

        Raises:
            UnknownError: none is known.
        """
        if self.pure_epsilon is not None:
            return max(self.pure_epsilon * self.pure_epsilon / 2, small.LEAST)
        return self._reduced(f"{type(self).__name__}: no zCDP bound is known here; pld has it").rho()

    def under_published(self) -> Event | None:
        """The same under the sensitivities that papers state in place of the proven ones; None where none does."""
        return None

    def _reduced(self, unknown: str) -> Event:
        """`reduced`, if that is another event.

        Raises:
            UnknownError: it is not; ``unknown`` is the line.
        """
        reduced = self.reduced()
        if reduced is self:
            raise UnknownError(unknown)
        return reduced


def encode(event: Event) -> dict[str, Any]:
    """``event`` as a JSON value that `decode` turns back; arrays are kept bit for bit."""
    return {"type": type(event).__name__} | {
        field.name: _encode(getattr(event, field.name)) for field in dataclasses.fields(event)
    }


def decode(value: dict[str, Any]) -> Event:
    """The event that `encode` wrote, also where the fields and adjacencies had their former names.

    Raises:
        ValueError: the value names no event class.
    """
    classes = _classes()
    name = checks.one_of("event type", value.get("type"), classes.keys())
    fields = {FORMER_FIELDS.get(key, key): _decode(item) for key, item in value.items() if key != "type"}
    if "adjacency" in fields:
        fields["adjacency"] = known_adjacency(fields["adjacency"])
    return classes[str(name)](**fields)


def _classes() -> dict[str, type[Event]]:
    """Event classes by the names under which results keep them.

    Raises:
        ValueError: two files call theirs alike: a result of one would be read, and accounted for, as the other.
    """
    classes: dict[str, type[Event]] = {}
    for file in EVENTS.names():
        event = EVENTS.choice(file, Event)
        if (other := classes.setdefault(event.__name__, event)) is not event:
            raise ValueError(f"event type {event.__name__}: must be defined once, not by {other.__module__} and {file}")
    return classes


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
