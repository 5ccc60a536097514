"""Curves of what a training measures on its way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wassdp.result import Point, curve


def of_rows(axis: str, positions: Sequence[float], rows: Sequence[Mapping[str, float]]) -> tuple[Point, ...]:
    """One curve for each figure, in the order in which they first appear; a row that lacks a figure lacks its point.

    >>> [(point.metric, point.position) for point in of_rows("epoch", [1, 2], [{"loss": 3.0}, {"loss": 2.0, "a": 1}])]
    [('loss', 1.0), ('loss', 2.0), ('a', 2.0)]

    Raises:
        ValueError: there are not as many positions as rows.
    """
    points: list[Point] = []
    for name in dict.fromkeys(name for row in rows for name in row):
        own = [(place, row[name]) for place, row in zip(positions, rows, strict=True) if name in row]
        points += curve(name, axis, *zip(*own, strict=True))
    return tuple(points)
