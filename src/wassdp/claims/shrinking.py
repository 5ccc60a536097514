"""Simpler neighbours of a case, for the search of the smallest counterexample: fewer entries, rounder numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, TypeVar

Case = TypeVar("Case")
DIGITS = range(4)


def rounder(case: Case, *names: str) -> Iterator[Case]:
    """The case with one of its numbers, or one entry of a tuple of numbers, rounded to few decimals, fewest first.

    Args:
        case: a dataclass.
        names: its fields to round: numbers, or tuples of them, of tuples too.
    """
    for name in names:
        for digits in DIGITS:
            for value in _rounded(getattr(case, name), digits):
                yield dataclasses.replace(case, **{name: value})  # type: ignore[type-var]


def fewer(case: Case, *names: str, least: int = 1) -> Iterator[Case]:
    """The case without one entry of one of its tuples; ``least`` stay."""
    for name in names:
        entries = getattr(case, name)
        for index in range(len(entries)) if len(entries) > least else ():
            yield dataclasses.replace(case, **{name: entries[:index] + entries[index + 1 :]})  # type: ignore[type-var]


def smaller(case: Case, name: str, *, least: int = 1) -> Iterator[Case]:
    """The case with a smaller whole number: the least allowed, then half of it, then one less."""
    value = getattr(case, name)
    for other in dict.fromkeys((least, (least + value) // 2, value - 1)):
        if least <= other < value:
            yield dataclasses.replace(case, **{name: other})  # type: ignore[type-var]


def _rounded(value: Any, digits: int) -> Iterator[Any]:
    """All entries at once first, then one after the other; only what differs, and is not rounder than asked."""
    if not isinstance(value, tuple):
        near = round(value, digits)
        if near != value:
            yield near
        return
    for index, entry in enumerate(value):
        for near in _rounded(entry, digits):
            yield (*value[:index], near, *value[index + 1 :])
