"""Exact numbers as doubles that lie on a known side of them."""

from __future__ import annotations

import math
from fractions import Fraction


def above(exact: Fraction) -> float:
    """The least double that is not below an exact number, infinite where none is.

    >>> above(Fraction(1, 2)), above(Fraction(1, 3)) > Fraction(1, 3)
    (0.5, True)
    """
    try:
        nearest = float(exact)
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)
