"""Numbers as typed on the command line: what is none is refused in words. Whether one is in range, its user says."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from wassdp import complaints


@dataclass(frozen=True)
class Number:
    """A type of argument.

    Args:
        read: what reads it, ``int`` or ``float``.
        allowed: what it must be, in words.

    >>> whole(1)("12"), OPEN_UNIT("1e-5")
    (12, 1e-05)
    """

    read: Callable[[str], float]
    allowed: str

    def __call__(self, text: str) -> float:
        try:
            return self.read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{complaints.shown(text)}: must be {self.allowed}") from None


def whole(least: int | None = None) -> Number:
    """Whole numbers of at least so much."""
    return Number(int, "a whole number" + ("" if least is None else f" of at least {least}"))


ANY = Number(float, "a number")
POSITIVE = Number(float, "a number above 0")
NOISE = Number(float, "a number of at least 0")
OPEN_UNIT = Number(float, "a number strictly between 0 and 1")
