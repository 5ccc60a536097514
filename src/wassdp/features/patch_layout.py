"""What features of patches look like. Imports no torch."""

from __future__ import annotations

PARTS = 2
"""Rows and columns of the parts of an image over which responses are averaged."""


def output_shape(filters: int) -> tuple[int, int, int]:
    """Channels (positive answers, then negative ones), rows and columns.

    >>> output_shape(1024)
    (2048, 2, 2)
    """
    return 2 * filters, PARTS, PARTS


def impossible(shape: tuple[int, ...], side: int) -> str | None:
    """Why images of ``shape`` (channels, height, width) have no features of patches of that side, or None.

    >>> impossible((3, 6, 32), 6)
    'side = 6: needs images of at least 7 pixels a side, these have 6 x 32'
    """
    if len(shape) != 3 or shape[0] not in (1, 3):
        return f"shape {shape!r} is not that of an image with 1 or 3 channels, as the photographs have"
    if min(shape[1:]) < side + PARTS - 1:
        least = side + PARTS - 1
        return f"side = {side}: needs images of at least {least} pixels a side, these have {shape[1]} x {shape[2]}"
    return None
