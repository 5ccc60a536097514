"""Images that nobody took, valid for every dataset of their size: what a record's features can be at least."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

_SEED, _LARGEST = 0, 8


def blocks(
    shape: tuple[int, int, int], *, maximum: int, count: int = 256
) -> Float[np.ndarray, "_ channels rows columns"]:
    """Black and white blocks of up to eight pixels, each channel of its own, in a window on black.

    Args:
        shape: channels, rows and columns.
        maximum: what a white pixel has.
        count: how many; always the same ones.
    """
    generator = np.random.default_rng(_SEED)
    images = np.zeros((count, *shape))
    for image in images:
        side = int(generator.integers(1, _LARGEST + 1))
        coarse = generator.integers(0, 2, (shape[0], *(-(-length // side) for length in shape[1:])))
        fine = coarse.repeat(side, axis=1).repeat(side, axis=2)[:, : shape[1], : shape[2]]
        window = tuple(_part(length, generator) for length in shape[1:])
        image[:, window[0], window[1]] = maximum * fine[:, window[0], window[1]]
    return images


def _part(length: int, generator: np.random.Generator) -> slice:
    """At least a quarter of a side."""
    size = int(generator.integers(max(1, length // 4), length + 1))
    start = int(generator.integers(0, length - size + 1))
    return slice(start, start + size)
