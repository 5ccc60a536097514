"""A figure as it is laid out: where its texts, lines and marks stand, in pixels, and what touches what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.spines import Spine
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

SLACK = 1.0  # pixels that boxes of letters reach beyond their ink, at the resolution of the check
POINTS = 72  # in an inch


@dataclass(frozen=True)
class Page:
    """A figure that is laid out, with its parts as they are seen.

    Args:
        figure: drawn once.
        data: what it shows; empty where that is not known.
    """

    figure: Figure
    data: pd.DataFrame

    @cached_property
    def seen(self) -> list[tuple[Artist, Axes | None]]:
        """Every visible part, with the panel that it is in."""
        return list(_seen(self.figure, None))

    @cached_property
    def texts(self) -> list[tuple[Text, Bbox]]:
        """Texts that are not empty, each with the box of its letters in pixels."""
        found = [part for part, _ in self.seen if isinstance(part, Text) and part.get_text().strip()]
        return [(text, letters(text)) for text in found]

    @property
    def panels(self) -> list[Axes]:
        """The visible panels."""
        return [part for part, _ in self.seen if isinstance(part, Axes)]

    @property
    def legends(self) -> list[Legend]:
        """The visible legends."""
        return [part for part, _ in self.seen if isinstance(part, Legend)]

    @cached_property
    def strokes(self) -> list[tuple[Artist, Axes, Path]]:
        """Lines of data, bars, axes and tick marks in pixels; grids, bands and what is in a legend are none."""
        return [stroke for part, panel in self.seen if panel is not None for stroke in _strokes(part, panel)]

    @cached_property
    def marks(self) -> list[Bbox]:
        """Boxes of the marks of data, in pixels."""
        return [box for part, panel in self.seen if panel is not None for box in _marks(part, panel)]


def _seen(part: Artist, panel: Axes | None) -> Iterator[tuple[Artist, Axes | None]]:
    """This part and those in it, without what is hidden, ticks out of view and the axes of a panel that has none."""
    if not part.get_visible():
        return
    panel = part if isinstance(part, Axes) else panel
    yield part, panel
    for child in part.get_children():
        if isinstance(part, Axes) and not part.axison and isinstance(child, Axis | Spine):
            continue
        if isinstance(part, Axes) and child is part.patch:
            continue
        if isinstance(part, Axis) and isinstance(child, Tick) and not in_view(part, child):
            continue
        yield from _seen(child, panel)


def in_view(axis: Axis, tick: Tick) -> bool:
    """Whether a tick stands between the ends of its axis."""
    ends = axis.get_transform().transform(sorted(axis.get_view_interval()))
    place = axis.get_transform().transform([tick.get_loc()])[0]
    room = 1e-6 * abs(ends[1] - ends[0])
    return bool(ends[0] - room <= place <= ends[1] + room)


def letters(text: Text) -> Bbox:
    """The box of a text's letters in pixels.

    What Matplotlib gives has room for accents and descenders that few have.
    """
    box = text.get_window_extent()
    lines = text.get_text().count("\n") + 1
    cut = 0.12 * (box.width if text.get_rotation() % 180 else box.height) / lines
    across, up = (cut, SLACK) if text.get_rotation() % 180 else (SLACK, cut)
    if box.width <= 2 * across or box.height <= 2 * up:
        return box
    return Bbox.from_extents(box.x0 + across, box.y0 + up, box.x1 - across, box.y1 - up)


def _strokes(part: Artist, panel: Axes) -> Iterator[tuple[Artist, Axes, Path]]:
    """The course of a line, in pixels."""
    if part.get_alpha() == 0:
        return
    if isinstance(part, Spine):
        yield part, panel, part.get_path().transformed(part.get_transform())
    elif isinstance(part, Line2D) and part.axes is not None and part in panel.lines:
        if part.get_linestyle() not in ("None", "", " "):
            points = part.get_transform().transform(part.get_path().vertices)
            yield part, panel, Path(points)
    elif isinstance(part, LineCollection) and part in panel.collections:
        for path in part.get_paths():
            yield part, panel, path.transformed(part.get_transform())


def _marks(part: Artist, panel: Axes) -> Iterator[Bbox]:
    """The box of each mark of a line or a cloud of points."""
    if isinstance(part, Line2D) and part in panel.lines and part.get_marker() not in ("None", "", " ", None):
        centres = part.get_transform().transform(part.get_path().vertices)
        sizes = np.full(len(centres), part.get_markersize())
    elif isinstance(part, PathCollection) and part in panel.collections:
        centres = part.get_offset_transform().transform(np.ma.getdata(part.get_offsets()))
        sizes = np.resize(np.sqrt(part.get_sizes()), len(centres))
    else:
        return
    for centre, size in zip(centres[np.isfinite(centres).all(axis=1)], sizes, strict=False):
        half = size * panel.figure.dpi / POINTS / 2
        yield Bbox([centre - half, centre + half])


def crosses(stroke: tuple[Artist, Axes, Path], box: Bbox) -> bool:
    """Whether a line of a panel, as wide as it is, enters a box where it is shown."""
    part, panel, path = stroke
    if part.get_clip_on() and not isinstance(part, Spine):
        shown = Bbox.intersection(box, panel.bbox)
        if shown is None or shown.width <= SLACK or shown.height <= SLACK:
            return False
        box = shown
    width = float(np.max(part.get_linewidth())) if isinstance(part, Line2D | LineCollection) else 0.0
    return segments_meet(np.asarray(path.vertices), box.padded(width * panel.figure.dpi / POINTS / 2 - SLACK))


def segments_meet(points: NDArray[np.float64], box: Bbox) -> bool:
    """Whether the course through ``points``, shape (points, 2), enters ``box``; a point that is not finite ends it.

    >>> segments_meet(np.array([[0.0, 0.0], [4.0, 4.0]]), Bbox([[1, 1], [2, 2]]))
    True
    >>> segments_meet(np.array([[0.0, 0.0], [4.0, 0.5], [np.nan, 1.5], [0.0, 4.0]]), Bbox([[1, 1], [2, 2]]))
    False
    """
    start, end = points[:-1], points[1:]
    known = np.isfinite(start).all(axis=1) & np.isfinite(end).all(axis=1)
    start, step = start[known], (end - start)[known]
    enters, leaves = np.zeros(len(start)), np.ones(len(start))
    for side, (low, high) in enumerate(((box.x0, box.x1), (box.y0, box.y1))):
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.sort([(low - start[:, side]) / step[:, side], (high - start[:, side]) / step[:, side]], axis=0)
        level = step[:, side] == 0
        inside = (start[:, side] >= low) & (start[:, side] <= high)
        ends[0, level], ends[1, level] = np.where(inside[level], -np.inf, np.inf), np.inf
        enters, leaves = np.maximum(enters, ends[0]), np.minimum(leaves, ends[1])
    return bool((enters <= leaves).any())


def overlap(first: Bbox, second: Bbox, slack: float) -> bool:
    """Whether two boxes share more than ``slack`` pixels both across and up."""
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    return bool(width > slack and height > slack)
