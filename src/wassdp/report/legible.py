"""What a reader cannot read in a figure: every defect in words, found in the figure as it is laid out.

A figure is looked at as it stands on a page: scaled to `PAGE` where it is wider. Each check is a function in `CHECKS`
of the laid-out figure, its parts and the data it shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.spines import Spine
from matplotlib.text import Text

from wassdp.report import style
from wassdp.report.laid_out import SLACK, Page, crosses, in_view, overlap

PAGE = 6.5  # inches, the width of a page's text
SMALLEST = 6.0  # points on that page
DARK = 200  # of 255: what is darker is ink
DPI = 100
NO_MARK = ("None", "", " ", None)
NEAR = 0.005  # relative: a mark this far from every value of the data has been moved

Check: TypeAlias = Callable[[Page], Iterator[str]]

# What the configuration calls things: an accountant, a run, a parameter or a file, an experiment or a paper.
RAW = re.compile(
    r"\b(?:upper|lower|published)/\w+|\b[0-9a-f]{12,}\b|\b[a-z0-9]+_[a-z0-9_]+\b"
    r"|\b[a-z0-9]+(?:-[a-z0-9]+){2,}\b|\b(?:dp-[a-z]+|[a-z]+-dp)\b"
)
COMPOUND = re.compile(r"^[a-z]+(-(by|to|of|in|the|a|and|or|up))+-[a-z]+$")
"""Words of English that have hyphens too."""
MATHS = re.compile(r"\$[^$]*\$")
EXPONENT = re.compile(r"\b\d(?:\.\d+)?e[-+]?\d+\b")
NUMBER = re.compile(r"^[-+−]?[\d.,]+(e[-+]?\d+)?%?$|^\$\\mathdefault\{.*\}\$$|^\$?10\^")


def defects(figure: Figure, data: pd.DataFrame | None = None) -> list[str]:
    """What cannot be read in ``figure``, a line each; empty where there is nothing to mend.

    Args:
        figure: drawn, in any state; its layout is made here.
        data: what it shows, as `wassdp.report.kinds.Drawing` has it; None: what it says of the data is not checked.
    """
    dpi = figure.dpi
    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    try:
        with style.context():
            figure.draw_without_rendering()  # the second layout has room for the ticks of the first
            canvas.draw()
        page = Page(figure, pd.DataFrame() if data is None else data)
        return [found for check in CHECKS for found in dict.fromkeys(check(page))]
    finally:
        figure.set_dpi(dpi)


def _short(text: Text | str) -> str:
    words = " ".join((text if isinstance(text, str) else text.get_text()).split())
    return repr(words if len(words) <= 50 else f"{words[:47]}...")


def ink_at_the_edge(page: Page) -> Iterator[str]:
    """Something goes on beyond the picture."""
    canvas = page.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    picture = np.asarray(canvas.buffer_rgba())[..., :3].min(axis=2) < DARK
    edges = {"left": picture[:, :1], "right": picture[:, -1:], "upper": picture[:1], "lower": picture[-1:]}
    for name, edge in edges.items():
        if edge.any():
            yield f"ink at the {name} edge of the image"


def text_outside(page: Page) -> Iterator[str]:
    """A text is cut, or not on the picture at all."""
    whole = page.figure.bbox
    for text, box in page.texts:
        if not (whole.x0 <= box.x0 and whole.y0 <= box.y0 and box.x1 <= whole.x1 and box.y1 <= whole.y1):
            yield f"text outside of the image: {_short(text)}"


def legend_outside(page: Page) -> Iterator[str]:
    """A legend is cut, or lies over panels that it does not belong to."""
    whole = page.figure.bbox
    for legend in page.legends:
        box = legend.get_window_extent()
        name = _short(", ".join(text.get_text() for text in legend.get_texts()))
        if box.x0 < -SLACK or box.y0 < -SLACK or box.x1 > whole.x1 + SLACK or box.y1 > whole.y1 + SLACK:
            yield f"legend cut by the edge of the image: {name}"
        for panel in page.panels if legend in page.figure.legends else []:
            if overlap(box, panel.get_window_extent(), 2 * SLACK):
                yield f"legend of the figure over the panel {_short(panel.get_title())}: {name}"


def texts_overlap(page: Page) -> Iterator[str]:
    """Two texts stand in one place."""
    for (one, first), (two, second) in combinations(page.texts, 2):
        if overlap(first, second, SLACK):
            yield f"texts overlap: {_short(one)} and {_short(two)}"


def text_struck(page: Page) -> Iterator[str]:
    """A line or an axis goes through a text, or touches it.

    A text with a ground of its own may lie over lines of data, never over an axis; an edge around its letters is none.
    """
    for text, box in page.texts:
        legend = _legend_of(text, page)
        covered = text.get_bbox_patch() is not None or (legend is not None and legend.get_frame_on())
        for stroke in page.strokes:
            part = stroke[0]
            if covered and part.get_zorder() < text.get_zorder() and not isinstance(part, Spine):
                continue
            if covered and legend is not None and not isinstance(part, Spine):
                continue
            if crosses(stroke, box):
                what = "an axis" if isinstance(part, Spine) else "a line"
                yield f"text struck by {what}: {_short(text)}"
                break


def _legend_of(text: Text, page: Page) -> Legend | None:
    return next((legend for legend in page.legends if text in legend.get_texts()), None)


def text_too_small(page: Page) -> Iterator[str]:
    """Nobody can read it on a page."""
    scale = min(1.0, PAGE / page.figure.get_figwidth())
    small = [(float(text.get_fontsize()) * scale, text) for text, _ in page.texts]
    small = [(size, text) for size, text in small if size < SMALLEST - 0.01]
    if small:
        size, text = min(small, key=lambda item: item[0])
        about = f"{len(small)} texts under {SMALLEST:g} pt at the width of a page"
        yield f"{about}, of {size:.1f} pt and more: {_short(text)}"


def axis_without_name(page: Page) -> Iterator[str]:
    """Numbers stand along an axis, and nobody says of what.

    A name beside one panel speaks for its row, one below a panel for its column.
    """
    for panel in page.panels:
        if not panel.axison:
            continue
        for axis, which in ((panel.xaxis, "horizontal"), (panel.yaxis, "vertical")):
            numbers = [tick.label1.get_text() for tick in axis.get_major_ticks() if in_view(axis, tick)]
            if not axis.get_visible() or not any(NUMBER.match(text) for text in numbers):
                continue
            name = "get_xlabel" if which == "horizontal" else "get_ylabel"
            if not any(getattr(other, name)() for other in _peers(page, panel, which)):
                yield f"{which} axis without a name: panel {_short(panel.get_title())}"


def _peers(page: Page, panel: Axes, which: str) -> list[Axes]:
    """The panels whose name along ``which`` axis speaks for this one too."""
    place = panel.get_subplotspec()
    if place is None:
        return [panel]
    span = "rowspan" if which == "vertical" else "colspan"
    own = getattr(place, span)
    peers = [panel]
    for other in page.panels:
        there = other.get_subplotspec()
        if there is not None and there.get_gridspec() is place.get_gridspec() and getattr(there, span) == own:
            peers.append(other)
    return peers


def raw_names(page: Page) -> Iterator[str]:
    """A text has a name that only the configuration knows."""
    for text, _ in page.texts:
        for found in RAW.findall(MATHS.sub(" ", text.get_text())):
            if not COMPOUND.match(found):
                yield f"raw name {found!r} in the text {_short(text)}"


def raw_numbers(page: Page) -> Iterator[str]:
    """A number stands as programs write it, and not as people do."""
    for text, _ in page.texts:
        for found in EXPONENT.findall(text.get_text()):
            yield f"number {found!r} in the text {_short(text)}"


def meaning_of_colours(page: Page) -> Iterator[str]:
    """A kind of budget that has its own colour in all figures has another one here."""
    for legend in page.legends:
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=False):
            expected = style.kind_colour(text.get_text())
            if expected is None or not isinstance(handle, Line2D):
                continue
            mark = handle.get_marker() not in ("None", "", None)
            line = handle.get_linestyle() not in ("None", "", " ")
            colour = to_hex(handle.get_color() if line or not mark else handle.get_markeredgecolor())
            if colour.upper() != expected.upper():
                yield f"colour of {_short(text)} is {colour}, in all figures it is {expected.lower()}"


def taken_colours(page: Page) -> Iterator[str]:
    """What is no budget of a framework has the colour that such a budget has in all figures."""
    frameworks = {colour.upper(): name for name, colour in style.KINDS.items()}
    named: set[str] = set()
    for legend in page.legends:
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=False):
            own = {colour for colour in _colours(handle) if colour in frameworks}
            if style.kind_colour(text.get_text()) in style.KINDS.values():
                named |= own
            else:
                yield from (f"{_short(text)} has the colour of {frameworks[colour]}" for colour in own)
    for panel in page.panels:
        drawn = {colour for part in (*panel.lines, *panel.collections) for colour in _colours(part)}
        for colour in sorted((drawn & set(frameworks)) - named):
            yield f"panel {_short(panel.get_title())} has the colour of {frameworks[colour]} for something else"


def _colours(part: Artist | None) -> set[str]:
    """The colours of a line or its marks, or of a cloud of points; none of anything else, as of a map of heat."""
    if isinstance(part, Line2D):
        line = [part.get_color()] if part.get_linestyle() not in ("None", "", " ") else []
        marks = [part.get_markeredgecolor(), part.get_markerfacecolor()]
        return {to_hex(colour).upper() for colour in (*line, *(marks if part.get_marker() not in NO_MARK else ()))}
    if isinstance(part, PathCollection):
        return {to_hex(colour).upper() for colour in (*part.get_facecolor(), *part.get_edgecolor())}
    return set()


def seeds_unsaid(page: Page) -> Iterator[str]:
    """It shows single runs as if they were means."""
    if "seeds" not in page.data:
        return
    counts = pd.to_numeric(page.data["seeds"], errors="coerce").dropna()
    if len(counts) and counts.min() == 1 and not any("seed" in text.get_text() for text, _ in page.texts):
        yield "some settings have one seed, and no text says so"


def moved_marks(page: Page) -> Iterator[str]:
    """On an axis of budgets a mark stands where no value of the data is."""
    numbers = page.data.select_dtypes("number")
    if numbers.empty:
        return
    values = np.unique(numbers.to_numpy(dtype=float))
    values = values[np.isfinite(values) & (values > 0)]
    for panel in page.panels:
        if panel.get_xscale() != "log" or "varepsilon" not in panel.get_xlabel():
            continue
        for line in panel.lines:
            if line.get_marker() in ("None", "", None) or not line.get_transform().contains_branch(panel.transData):
                continue
            if line.get_transform() != panel.transData:
                continue
            for place in np.asarray(line.get_xdata(), dtype=float):
                if np.isfinite(place) and not np.any(np.abs(values / place - 1) < NEAR):
                    yield f"a mark of panel {_short(panel.get_title())} stands at {place:.4g}, where the data have none"


CHECKS: tuple[Check, ...] = (
    ink_at_the_edge,
    text_outside,
    legend_outside,
    texts_overlap,
    text_struck,
    text_too_small,
    axis_without_name,
    raw_names,
    raw_numbers,
    meaning_of_colours,
    taken_colours,
    seeds_unsaid,
    moved_marks,
)
