"""Argument checks shared by the whole library: one line that names the argument, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TypeVar

import numpy as np

from wassdp import complaints

T = TypeVar("T")


def finite(name: str, value: float) -> float:
    """``value``, if it is a finite number.

    >>> finite("loss", 1.5)
    1.5
    """
    try:
        fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond every double
        fits = False
    if not fits:
        raise ValueError(f"{name} = {complaints.shown(value)}: must be a finite number")
    return value


def numbers(name: str, values: np.ndarray) -> np.ndarray:
    """``values``, if each is a number: what is none is neither above nor below a bound, and would pass as either.

    >>> numbers("mass", np.array([0.5, np.inf]))
    array([0.5, inf])
    """
    if np.isnan(values).any():
        place = int(np.flatnonzero(np.isnan(values))[0])
        raise ValueError(f"{name} = nan at {place}: must be a number")
    return values


def positive(name: str, value: float) -> float:
    """``value``, if it is finite and above zero."""
    if finite(name, value) <= 0:
        raise ValueError(f"{name} = {value!r}: must be above 0")
    return value


def at_least(name: str, value: float, least: float) -> float:
    """``value``, if it is finite and not below ``least``."""
    if finite(name, value) < least:
        raise ValueError(f"{name} = {value!r}: must be at least {least:g}")
    return value


def non_negative(name: str, value: float) -> float:
    """``value``, if it is finite and not below zero."""
    return at_least(name, value, 0)


def probability(name: str, value: float) -> float:
    """``value``, if it lies in the closed interval [0, 1]."""
    if not 0 <= finite(name, value) <= 1:
        raise ValueError(f"{name} = {value!r}: must lie in [0, 1]")
    return value


def open_unit(name: str, value: float) -> float:
    """``value``, if it lies strictly between 0 and 1 (every delta does)."""
    if not 0 < finite(name, value) < 1:
        raise ValueError(f"{name} = {value!r}: must lie strictly between 0 and 1")
    return value


def whole(name: str, value: int, *, least: int = 0) -> int:
    """``value``, if it is a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} = {value!r}: must be a whole number of at least {least}")
    return value


def one_of(name: str, value: T, allowed: Collection[T], *, listed: str = "") -> T:
    """``value``, if it is one of ``allowed``; ``listed`` is a command that lists them, where they are many."""
    if value not in allowed:
        raise ValueError(f"{name} = {complaints.shown(value)}: {complaints.choices(value, allowed, listed=listed)}")
    return value
