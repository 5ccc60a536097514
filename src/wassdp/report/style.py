"""One look for all figures: colours, sizes, and files that are the same bytes for the same data."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib as mpl
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from wassdp.files import write_bytes, write_text
from wassdp.report import small_files

Look: TypeAlias = Mapping[str, Any]
"""Colour, dashes, mark and the like, as Matplotlib names them."""

# Okabe and Ito (2008): distinguishable with every common colour vision deficiency, and in grey by lightness.
BLUE, ORANGE, GREEN, RED, SKY, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7"
BLACK = "#000000"
BROWN = "#8C5A2B"
INDIGO, OLIVE, WINE = "#332288", "#999933", "#882255"  # of Tol (2021), apart from all above by lightness or hue
# The frameworks' budgets have these colours in every figure, and nothing else has (`legible.taken_colours`).
KINDS = {"DP": BLUE, "BDP": ORANGE, "WDP": GREEN}
CYCLE = (RED, PURPLE, SKY, BROWN, INDIGO, OLIVE, WINE)
OTHERS = CYCLE[:4]
"""What is published of other frameworks."""
MARKS = ("o", "D", "s", "^", "v", "P")  # of formulas and methods: colours alone do not tell many apart, nor in grey
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)), (0, (8, 2, 2, 2)), (0, (3, 3)))

MARKERS = ("s", "D", "^", "v", "P", "X")  # of what is printed
GREY = "#444444"  # of what is printed, and of legends' entries that speak of several colours
DASHED = (0, (4, 2))  # of what has no privacy

# The three kinds of budget look the same in every figure: published in colour, upper bounds black, lower grey.
UPPER = BLACK
LOWER = "#777777"

MANY = 2e4  # from here on, numbers of an axis are powers of ten
ORDERED_FROM = 5  # so many lines are told apart by an order of colours, fewer by different ones

PANEL = (2.9, 2.6)  # inches, width and height of one panel
LETTERS = 14  # of a small title, in an inch
WIDEST = 8.0  # inches: scaled to the width of a page, letters of 7.4 points are still 6
FOOT, FOOT_SIZE = 0.2, 7.5  # inches and points, of a line below the panels

# What differs from seaborn's style "whitegrid" and its context "paper".
_RC: Any = {
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",  # comes with Matplotlib: the same on every machine
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "projecting",
    "mathtext.fontset": "dejavusans",
    "patch.force_edgecolor": False,
    "savefig.dpi": 128,
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "wassdp",  # element ids come from this, not from a random number
    "xtick.bottom": True,
    "xtick.major.size": 3.5,
    "xtick.major.width": 0.8,
    "xtick.minor.size": 2,
    "ytick.left": True,
    "ytick.major.size": 3.5,
    "ytick.major.width": 0.8,
    "ytick.minor.size": 2,
}


@contextlib.contextmanager
def context() -> Iterator[None]:
    """The project's look, inside the block only."""
    with mpl.rc_context(sns.plotting_context("paper") | sns.axes_style("whitegrid") | _RC):
        yield


def panels(rows: int, columns: int, *, share_x: bool = True, share_y: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure of ``rows`` by ``columns`` panels, read row by row. Call inside `context`."""
    figure = Figure(figsize=(PANEL[0] * columns, PANEL[1] * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=share_x, sharey=share_y, squeeze=False)
    return figure, list(grid.ravel())


def wide_panels(count: int) -> tuple[Figure, list[Axes]]:
    """A figure of ``count`` larger panels, one for each dataset, at most two in a row. Call inside `context`."""
    columns = min(count, 2)
    rows = -(-count // columns)
    figure, axes = panels(rows, columns, share_x=False)
    figure.set_size_inches((4.35, WIDEST)[columns - 1], 1.2 * PANEL[1] * rows)
    for axis in axes[count:]:
        axis.set_visible(False)
    return figure, axes[:count]


def ordered_colours(names: Sequence[str]) -> dict[str, str]:
    """A colour for each of ``names``, which have an order: those of `CYCLE` for up to four, else from dark to light.

    The ordered colours are those of the perceptually uniform map "plasma" without its ends: their lightness alone tells
    them apart.
    """
    if len(names) < ORDERED_FROM:
        return dict(zip(names, CYCLE, strict=False))
    return dict(zip(names, sns.color_palette("plasma", len(names)).as_hex(), strict=True))


def cycled(names: Iterable[str]) -> dict[str, str]:
    """A colour of `CYCLE` for each of ``names``, from its beginning again where they are more."""
    return dict(zip(dict.fromkeys(names), itertools.cycle(CYCLE), strict=False))


def line(place: int) -> dict[str, Any]:
    """Colour and dashes of the line of this number in a figure."""
    return {"color": CYCLE[place % len(CYCLE)], "linestyle": DASHES[place % len(DASHES)]}


def open_mark(place: int, size: float, colour: str = GREY) -> dict[str, Any]:
    """An open mark, for what is printed and not proven: shape of this number, size in points."""
    shape = {"marker": MARKERS[place % len(MARKERS)], "linestyle": "", "ms": size}
    return shape | {"mfc": "white", "mec": colour, "mew": 1.2, "zorder": 4}


def kind_colour(label: str) -> str | None:
    """The colour that what a legend calls so has in every figure; None: any.

    >>> kind_colour("published: WDP (Wasserstein)"), kind_colour("proven (PLD)"), kind_colour("DP-MERF")
    ('#009E73', '#000000', None)
    """
    found = re.match(r"(?:published: )?(DP|BDP|WDP)(?![\w-])", label.strip())
    if found:
        return KINDS[found[1]]
    return UPPER if re.match(r"proven( \(|:| upper bound|$)", label.strip()) else None


def plain_log_ticks(axis: Axes) -> None:
    """Ticks of a logarithmic horizontal axis as plain numbers: the powers of ten, and 2 and 5 times them if few."""
    left, right = axis.get_xlim()
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if right < 300 * left else (1.0,)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value, right)))
    axis.xaxis.set_minor_formatter(NullFormatter())


def _tick(value: float, largest: float) -> str:
    """A number of an axis: all of them as powers where some have many digits.

    >>> _tick(100, 2000), _tick(0.5, 2000), _tick(1000, 1e6)
    ('100', '0.5', '$10^{3}$')
    """
    exponent = math.log10(value)
    return f"$10^{{{exponent:.0f}}}$" if largest >= MANY and exponent == round(exponent) else f"{value:g}"


def epochs(axis: Axes, *, bottom: float | None = None) -> None:
    """A horizontal axis of epochs; ``bottom`` is the lower end of the vertical one, None where the data say it."""
    axis.set_xlabel("epoch")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    if bottom is not None:
        axis.set_ylim(bottom=bottom)


def handles(looks: Iterable[tuple[str, Look]]) -> list[Line2D]:
    """An entry of a legend for each label with its look."""
    return [Line2D([], [], label=label, **look) for label, look in looks]


def legend_right(figure: Figure, looks: Iterable[tuple[str, Look]]) -> None:
    """One legend for all panels, to the right of them, in a figure made wider, and if need be taller, for it.

    Where the figure would be too wide for its letters to be read on a page, the legend stands below.
    """
    entries = list(looks)
    legend = figure.legend(handles=handles(entries), loc="outside right center", alignment="left")
    extent = legend.get_window_extent()
    width = figure.get_figwidth() + extent.width / figure.dpi + 0.1
    if width > WIDEST:
        legend.remove()
        legend_below(figure, entries)
        return
    figure.set_figwidth(width)
    figure.set_figheight(max(figure.get_figheight(), extent.height / figure.dpi + 0.2))


def legend_below(figure: Figure, looks: Iterable[tuple[str, Look]], *, columns: int | None = None) -> None:
    """One legend for all panels, below them, in as many columns as asked for and as the figure's width can hold.

    The figure is made taller by its height.
    """
    entries = handles(looks)
    for count in range(min(columns or len(entries), len(entries)), 0, -1):
        legend = figure.legend(handles=entries, loc="outside lower center", ncols=count, alignment="left")
        extent = legend.get_window_extent()
        if count == 1 or extent.width <= figure.bbox.width:
            figure.set_figheight(figure.get_figheight() + extent.height / figure.dpi)
            return
        legend.remove()


def over(figure: Figure, text: str) -> None:
    """A small title over all panels, in as many lines as the figure's width asks for."""
    figure.suptitle(filled(text, int(LETTERS * figure.get_figwidth())), fontsize="small")


def filled(text: str, letters: int) -> str:
    """``text`` in lines of at most so many letters; what is equal to what stays in one line.

    Letters of formulas count as they are written, since nothing shorter is known of them.
    """
    whole = re.sub(r" (=|≤|≥) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
    return textwrap.fill(whole, letters, break_long_words=False)


def foot(figure: Figure, text: str) -> None:
    """A small line below the panels, above a legend that stands there, in a figure made taller for it."""
    figure.set_figheight(figure.get_figheight() + FOOT)
    small: Any = {"fontsize": FOOT_SIZE, "color": GREY}
    below = [legend for legend in figure.legends if getattr(legend, "_outside_loc", None) == "lower"]
    with context():
        if below:
            below[0].set_title(text, prop=FontProperties(size=FOOT_SIZE))
            below[0].get_title().set_color(GREY)
        else:
            figure.supxlabel(text, x=0.01, ha="left", **small)


def save(figure: Figure, data: pd.DataFrame, stem: Path) -> None:
    """Write ``stem``.svg, .png and .csv, each whole or not at all.

    The files hold no date and no program version, so equal figures are equal files, as small as
    `wassdp.report.small_files` makes them.
    """
    metadata: dict[str, dict[str, Any]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
    with context():
        # The first layout may give an axis other ticks, whose labels the second then has room for.
        figure.draw_without_rendering()
        for suffix, entries in metadata.items():
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, metadata=entries)
            write_bytes(stem.with_name(f"{stem.name}.{suffix}"), small_files.SMALLER[suffix](buffer.getvalue()))
    write_text(stem.with_name(f"{stem.name}.csv"), small_files.csv(data))
