"""What an accountant file offers, and how accountants are found by name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol, cast, runtime_checkable

from wassdp import checks
from wassdp.accounting import published, upper
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee


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


def names() -> dict[str, ModuleType]:
    """Accountant names and the package that each lives in."""
    return {
        found.name: package
        for package in (upper, published)
        for found in pkgutil.iter_modules(package.__path__)
        if not found.name.startswith("_")
    }


def module(name: str) -> str:
    """Full module name of the accountant called ``name``.

    Raises:
        ValueError: there is no such accountant.
    """
    known = names()
    checks.one_of("accountant", name, known.keys())
    return f"{known[name].__name__}.{name}"


def load(name: str, **options: Any) -> Accountant:
    """The accountant called ``name``, constructed with ``options``.

    Raises:
        ValueError: there is no such accountant, or an option's value is not allowed.
        TypeError: the accountant has no such option.
    """
    return cast(Accountant, importlib.import_module(module(name)).Accountant(**options))


def path(accountant: Accountant, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
    """The budget of the first ``n`` releases of ``event``, for each n of ``steps``.

    Raises:
        ValueError: the event is not a composition, or the accountant refuses it.
    """
    if isinstance(accountant, PathAccountant):
        return accountant.path(event, delta, steps)
    first = getattr(event, "first", None)
    if first is None:
        raise ValueError(f"event = {type(event).__name__}: has no steps to account along")
    return tuple(accountant.epsilon(first(count), delta) for count in steps)
