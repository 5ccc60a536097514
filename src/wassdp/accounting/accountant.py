"""What an accountant is, and how accountants are found by name: each is a file of `accountants`."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, cast

from wassdp import checks, complaints
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee, Kind, as_epsilon
from wassdp.accounting.profiles import dominating
from wassdp.plugins import Plugins

UPPER = Plugins("wassdp.accounting.accountants.upper", "accountant")
PUBLISHED = Plugins("wassdp.accounting.accountants.published", "accountant")


class Accountant(ABC):
    """One way of turning an event into a budget. Stateless; a frozen dataclass where it has options.

    A file of `wassdp.accounting.accountants.upper` or `wassdp.accounting.accountants.published` defines one.

    Attributes:
        source: paper and equation.
        name: the file's.
        kind: the folder's.
        counts_variation: whether its formula adds what inexact draws cost to δ (`wassdp.accounting.inexact`).
    """

    source: ClassVar[str]
    counts_variation: ClassVar[bool] = False
    name: ClassVar[str]
    kind: ClassVar[Kind]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        package, _, file = cls.__module__.rpartition(".")
        if package in (UPPER.package, PUBLISHED.package):
            cls.name, cls.kind = file, cast(Kind, package.rpartition(".")[2])

    @abstractmethod
    def supports(self, event: Event) -> str | None:
        """None if this accountant can account for ``event``, else the reason why not."""

    def reason(self, event: Event) -> str | None:
        """What `supports` answers, held to what it may answer: whatever else it is would pass for a reason.

        Raises:
            ValueError: it is neither None nor words.
        """
        reason = self.supports(event)
        if reason is not None and not (isinstance(reason, str) and reason.strip()):
            raise ValueError(
                f"accountant {self.name}: supports = {complaints.shown(reason)}: must be None, or the reason why not"
            )
        return reason

    def answer(self, event: Event, delta: float) -> Guarantee:
        """What `epsilon` answers, held to what it may answer.

        Raises:
            ValueError: it is no `Guarantee`, or as for `epsilon`.
        """
        answer = self.epsilon(event, delta)
        if not isinstance(answer, Guarantee):
            raise ValueError(
                f"accountant {self.name}: epsilon = {complaints.shown(answer)}: must be a Guarantee, as "
                "self.guarantee(event, delta, value) makes it"
            )
        return answer

    @abstractmethod
    def epsilon(self, event: Event, delta: float) -> Guarantee:
        """The budget of ``event`` at ``delta``.

        Raises:
            ValueError: ``supports`` gives a reason, or delta is not in (0, 1).
        """

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        """The budget of the first ``n`` releases of ``event``, for each n of ``steps``.

        Raises:
            ValueError: the event is not a composition, or the accountant refuses it.
        """
        return tuple(self.answer(event.first(count), delta) for count in steps)

    def upper(self, event: Event, delta: float) -> float:
        """The value of `epsilon` alone, where that has a lower price: what calibration asks for.

        Raises:
            ValueError: as for `epsilon`.
        """
        return self.answer(event, delta).value

    def refuse(self, event: Event, delta: float) -> None:
        """Raise where this accountant does not support ``event``.

        Raises:
            ValueError: it does not, or delta is not in (0, 1).
        """
        checks.open_unit("delta", delta)
        if reason := self.reason(event):
            raise ValueError(f"event: {reason}")

    def guarantee(
        self, event: Event, delta: float, value: float, notes: Iterable[str] = (), *, error: float | None = None
    ) -> Guarantee:
        """A figure about ``event`` with what qualifies it.

        Whatever the formula gave, an upper bound is infinite where something is released without noise, and where
        draws are inexact and the accountant does not count that.

        Args:
            event: what was released.
            delta: in (0, 1).
            value: ε; infinity becomes an unbounded statement.
            notes: what this figure rests on, or does not prove, beside what the event says itself.
            error: how much the exact value may lie below ``value``; None: not computed.
        """
        if self.kind == "upper" and (event.unbounded() or (event.variation() and not self.counts_variation)):
            value = math.inf
        bounded = math.isfinite(value)
        if self.kind == "upper":
            assumptions = (*dominating.assumptions(event), *notes)
        else:
            exposed = "leaves out what was released without noise" if bounded else "released without noise"
            said = ((*(f"{exposed}: {what}" for what in part.exposed), *part.notes) for part in event.within())
            assumptions = (*notes, *(note for part in said for note in part))
        return Guarantee(
            accountant=self.name,
            kind=self.kind,
            epsilon=as_epsilon(value, self.name),
            bounded=bounded,
            epsilon_error=error if bounded else None,
            delta=delta,
            adjacency=event.adjacency,
            sampling=event.sampling,
            assumptions=tuple(dict.fromkeys(assumptions)),
            source=self.source,
        )


def names() -> dict[str, Plugins]:
    """Accountant names and the folder that each lives in.

    Raises:
        ValueError: two files of different kinds have one name: what is published would pass for proven, or hide it.
    """
    proven, published = set(UPPER.names()), set(PUBLISHED.names())
    for name in sorted(proven & published):
        raise ValueError(f"accountant = {name!r}: must be one file, of {UPPER.package} or {PUBLISHED.package}")
    return dict.fromkeys(UPPER.names(), UPPER) | dict.fromkeys(PUBLISHED.names(), PUBLISHED)


def module(name: str) -> str:
    """Full module name of the accountant called ``name``.

    Raises:
        ValueError: there is no such accountant.
    """
    return _folder(name).module(name)


def load(name: str, **options: Any) -> Accountant:
    """The accountant called ``name``, constructed with ``options``.

    Raises:
        ValueError: there is no such accountant, or an option's value is not allowed.
        TypeError: the accountant has no such option.
    """
    # mypy: an abstract class stands here for those that derive from it.
    return _folder(name).choice(name, Accountant)(**options)  # type: ignore[type-abstract]


def options(name: str) -> tuple[str, ...]:
    """Names of the options of the accountant called ``name``.

    >>> options("rdp"), options("zcdp")
    (('orders',), ())
    """
    found = load(name)
    return tuple(field.name for field in dataclasses.fields(found)) if dataclasses.is_dataclass(found) else ()


def _folder(name: str) -> Plugins:
    folders = names()
    return folders[checks.one_of("accountant", name, folders.keys())]
