"""What an accountant file offers, and how accountants are found by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast, runtime_checkable

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.plugins import Plugins


@runtime_checkable
class Accountant(Protocol):
    """One way of turning an event into a budget. Stateless.

    A file of `wassdp.accounting.upper` or `wassdp.accounting.published` exposes one class of this
    shape, named ``Accountant``; the file's name is the accountant's name.
    """

    source: str

    def supports(self, event: Event) -> str | None:
        """None if this accountant can account for ``event``, else the reason why not."""

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        """The budget of ``event`` at ``delta``.

        Raises:
            ValueError: ``supports`` gives a reason, or delta is not in (0, 1).
        """


@runtime_checkable
class PathAccountant(Accountant, Protocol):
    """An accountant that accounts along a composition faster than prefix by prefix."""

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        """The budget of the first ``n`` releases of ``event``, for each n of ``steps``."""


UPPER = Plugins("wassdp.accounting.accountants.upper", "accountant")
PUBLISHED = Plugins("wassdp.accounting.accountants.published", "accountant")


def names() -> dict[str, Plugins]:
    """Accountant names and the folder that each lives in."""
    return {name: folder for folder in (UPPER, PUBLISHED) for name in folder.names()}


def module(name: str) -> str:
    """Full module name of the accountant called ``name``.

    Raises:
        ValueError: there is no such accountant.
    """
    known = names()
    return known[checks.one_of("accountant", name, known.keys())].module(name)


def load(name: str, **options: Any) -> Accountant:
    """The accountant called ``name``, constructed with ``options``.

    Raises:
        ValueError: there is no such accountant, or an option's value is not allowed.
        TypeError: the accountant has no such option.
    """
    folder = names()[checks.one_of("accountant", name, names().keys())]
    return cast(Accountant, folder.load(name).Accountant(**options))


def path(accountant: Accountant, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
    """The budget of the first ``n`` releases of ``event``, for each n of ``steps``.

    Raises:
        ValueError: the event is not a composition, or the accountant refuses it.
    """
    if isinstance(accountant, PathAccountant):
        return accountant.path(event, delta, steps)
    return tuple(accountant.epsilon(event.first(count), delta) for count in steps)
