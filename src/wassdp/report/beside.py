"""Numbers beside marks, each where it touches no line, mark or other text, as far as there is such a place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from wassdp.report import style
from wassdp.report.laid_out import Page, crosses, letters


class Place(NamedTuple):
    """Where a text stands: points to the right of its mark and above it, and which side of the text is there."""

    right: float
    above: float
    ha: str
    va: str


BELOW, ABOVE = Place(0, -7, "center", "top"), Place(0, 7, "center", "bottom")
AROUND = tuple(
    Place(right, above, {-1: "right", 0: "center", 1: "left"}[(right > 0) - (right < 0)], va)
    for above, va in ((5, "bottom"), (-5, "top"), (0, "center"), (14, "bottom"), (-14, "top"))
    for right in ((5, -5) if above else (7, -7))
)
ROOM = 1.0  # pixels around the letters that are to stay free


def settle(figure: Figure, notes: Sequence[tuple[Annotation, Place]]) -> None:
    """Move each text to the first place where nothing is in its way, else to the least crowded one.

    Args:
        figure: with all its parts and its axes' final limits; it is laid out here.
        notes: texts at offsets in points from their marks, each with the place that it takes if that is free.
    """
    if not notes:
        return
    with style.context():
        figure.draw_without_rendering()
    for note, first in notes:
        page = Page(figure, pd.DataFrame())
        crowded = {}
        for place in dict.fromkeys((first, BELOW, ABOVE, *AROUND)):
            _move(note, place)
            crowded[place] = _in_the_way(note, page)
            if not crowded[place]:
                break
        _move(note, min(crowded, key=crowded.__getitem__))


def _move(note: Annotation, place: Place) -> None:
    note.set_position((place.right, place.above))
    note.set(ha=place.ha, va=place.va)


def _in_the_way(note: Annotation, page: Page) -> int:
    """How many lines, marks and texts the letters touch; a side of the panel that they cross counts as well."""
    panel, box = note.axes, letters(note).padded(ROOM)
    assert isinstance(panel, Axes)
    inside = panel.bbox
    others = [*page.marks, *(there for text, there in page.texts if text is not note)]
    touched = [box.x0 < inside.x0, box.x1 > inside.x1, box.y0 < inside.y0, box.y1 > inside.y1]
    touched += [bool(box.overlaps(other)) for other in others]
    touched += [crosses(stroke, box) for stroke in page.strokes]
    return sum(touched)
