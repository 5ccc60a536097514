"""The few draws that double precision cannot decide, decided with as many bits as they need."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import mpmath
from scipy.special import ndtri

WORD = 64
T = TypeVar("T")


def _quantile(tail: mpmath.mpf) -> mpmath.mpf:
    """Q(u) = -Φ⁻¹(u) at the working precision, by Newton's method on log P(Z > z), which is concave."""
    if tail == 0:
        return mpmath.inf
    root, wanted = mpmath.sqrt(2), mpmath.log(tail)
    # SciPy's own is right to most of a double's digits; below the least double, the tail's leading term is near enough.
    guess = -float(ndtri(float(tail)))
    z = mpmath.mpf(guess) if math.isfinite(guess) else mpmath.sqrt(-2 * wanted)
    # Each step doubles the digits; from within 1 of the root, 60 are more than any precision used here needs.
    for _ in range(60):
        above = mpmath.erfc(z / root) / 2
        step = (mpmath.log(above) - wanted) * above / mpmath.npdf(z)
        z += step
        # What a small step leaves is below half its square: f'' / f' = h - z, with the hazard h, is at most √(2/π).
        if step * step < mpmath.mpf(2) ** (-mpmath.mp.prec + 12) * (1 + abs(z)):
            return z
    raise ArithmeticError(f"normal quantile at {mpmath.nstr(tail, 5)}: Newton's method did not settle")


def interval(tail: int, bits: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Lower and upper end of Q over the tail probabilities [tail, tail + 1] / 2^bits, with a guard for rounding."""
    guard = mpmath.mpf(2) ** -(bits + 40)
    ends = [_quantile(mpmath.ldexp(mpmath.mpf(end), -bits)) for end in (tail + 1, tail)]
    return ends[0] - guard * (1 + abs(ends[0])), ends[1] + guard * (1 + abs(ends[1]))


def nearest(word: int, *, offset: float, ratio: float, more: Callable[[], int]) -> int:
    """The whole number nearest to offset + ratio·Z, where ``word`` and, as needed, ``more`` words are the bits of Z.

    Args:
        word: 64 bits; the first is the sign (set: Z < 0), the others the first bits of the tail probability.
        offset: in [0, 1).
        ratio: above 0.
        more: gives the next 64 bits of the tail probability.
    """

    def decided(low: mpmath.mpf, high: mpmath.mpf) -> int | None:
        ends = [int(mpmath.floor(offset + ratio * end + 0.5)) for end in (low, high)]
        return ends[0] if ends[0] == ends[1] else None

    return _read(word, more, decided)


def value(word: int, *, more: Callable[[], int], width: float = 2.0**-50) -> float:
    """Z to within ``width``, from the same bits as `nearest`."""

    def decided(low: mpmath.mpf, high: mpmath.mpf) -> float | None:
        return float(min(low, high, key=abs)) if high - low < width else None

    return _read(word, more, decided)


def _read(word: int, more: Callable[[], int], decided: Callable[[mpmath.mpf, mpmath.mpf], T | None]) -> T:
    """Read on in the bits of Z until the finite interval that they leave open is enough to decide."""
    negative, tail, bits = bool(word >> 63), word & ((1 << 63) - 1), WORD
    while True:
        with mpmath.workprec(bits + 100):
            low, high = interval(tail, bits)
            if mpmath.isfinite(high):
                decision = decided(-high, -low) if negative else decided(low, high)
                if decision is not None:
                    return decision
        tail, bits = (tail << WORD) | more(), bits + WORD
