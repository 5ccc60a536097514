"""Uniform numbers: whole ones exactly, real ones with 53 bits."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

from wassdp import checks
from wassdp.noise.bits import Bits


def integers(bound: int, count: int, *, generator: Bits) -> Int64[np.ndarray, " count"]:
    """Independent whole numbers, each of 0 … ``bound`` - 1 with probability exactly 1/``bound``.

    Words beyond the largest multiple of ``bound`` are drawn again: a remainder alone would favour small numbers.

    Raises:
        ValueError: ``bound`` is below 1 or above 2^62.

    >>> from wassdp.noise.bits import seeded
    >>> set(integers(3, 100, generator=seeded(0)).tolist())
    {0, 1, 2}
    """
    checks.whole("bound", bound, least=1)
    if bound > 1 << 62:
        raise ValueError(f"bound = {bound}: must be at most 2^62")
    words = generator.words(count).copy()
    last = np.uint64((1 << 64) - (1 << 64) % bound - 1)
    while (again := words > last).any():
        words[again] = generator.words(int(again.sum()))
    return np.asarray((words % np.uint64(bound)).astype(np.int64))


def uniform(count: int, *, generator: Bits) -> Float64[np.ndarray, " count"]:
    """Independent numbers of the grid of 2^-53 in [0, 1); nothing whose probability a bound rests on."""
    return np.asarray((generator.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53)
