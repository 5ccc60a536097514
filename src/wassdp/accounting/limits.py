"""The numbers that accounting takes: outside of them doubles overflow, cancel or cannot count.

They are far wider than any use. Inside of them every accountant answers or refuses in words; outside of them an event
is not made at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from wassdp import checks, complaints

Number = TypeVar("Number", int, float)
MOST = 10**15
"""Steps, records, directions, dimensions: whole numbers up to this are exact as doubles, sums of a few included."""
LEAST_NOISE, MOST_NOISE = 1e-100, 1e100
"""Noise relative to the sensitivity, where it is not zero: its square, times `MOST`, is a double."""
LARGE_VARIANCE, LARGE_LOSS = 4e6, 2e4
"""Variance of a Gaussian's loss, and a pure ε, from which on a lattice costs more than it gains."""
LEAST_DELTA = 1e-300
"""Below this a double has fewer digits."""
MOST_ORDER = 10**5
"""Order of a Rényi divergence or of a moment: closed forms for sampled releases have as many terms."""


def count(name: str, value: int, *, least: int = 0) -> int:
    """``value``, if it is a whole number from ``least`` to `MOST`.

    >>> count("steps", 10**40)
    Traceback (most recent call last):
    ValueError: steps = about 10^40: must be at most 10^15
    """
    if checks.whole(name, value, least=least) > MOST:
        shown = f"about 10^{len(str(value)) - 1}" if value.bit_length() < 10_000 else "a number of thousands of digits"
        raise ValueError(f"{name} = {shown}: must be at most 10^15")
    return value


def noise(name: str, value: float) -> float:
    """``value``, if it is 0, or finite and from `LEAST_NOISE` to `MOST_NOISE`."""
    if checks.non_negative(name, value) and not LEAST_NOISE <= value <= MOST_NOISE:
        raise ValueError(f"{name} = {value!r}: must be 0 (no noise) or from {LEAST_NOISE:g} to {MOST_NOISE:g}")
    return value


def ratio(name: str, value: float) -> float:
    """``value``, if it is above 0 and neither it nor its inverse overflows when squared and counted."""
    if not LEAST_NOISE <= checks.positive(name, value) <= MOST_NOISE:
        raise ValueError(f"{name} = {value!r}: must be from {LEAST_NOISE:g} to {MOST_NOISE:g}")
    return value


def orders(name: str, values: Sequence[int], *, least: int) -> tuple[int, ...]:
    """Orders as a tuple, if each is a whole number from ``least`` to `MOST_ORDER`.

    Raises:
        ValueError: they are no list, there is none, or one is not such a number.

    >>> orders("orders", [2, 4], least=2)
    (2, 4)
    """
    for order in (given := listed(name, values)):
        if checks.whole(name, order, least=least) > MOST_ORDER:
            raise ValueError(f"{name} = {complaints.shown(order)}: must be at most {MOST_ORDER}")
    return given


def listed(name: str, values: Sequence[Number]) -> tuple[Number, ...]:
    """``values`` as a tuple, if they are a list or a tuple, and not empty."""
    if not isinstance(values, list | tuple) or not values:
        raise ValueError(f"{name} = {complaints.shown(values)}: must be a list of at least one number")
    return tuple(values)


def computable_delta(value: float) -> float:
    """``value``, if it lies from `LEAST_DELTA` to below 1."""
    if checks.open_unit("delta", value) < LEAST_DELTA:
        raise ValueError(f"delta = {value!r}: must be at least {LEAST_DELTA:g}, below which doubles lose their digits")
    return value
