"""Numbers beside marks stand where nothing is in their way."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from wassdp.report import beside, legible, style

POINT = (1.0, 0.0)


def drawn(*slopes: float) -> tuple[Figure, Annotation]:
    """A mark with lines of these slopes through it, and its number below it."""
    with style.context():
        figure, (axis,) = style.panels(1, 1)
        across = np.array([0.0, 2.0])
        for slope in slopes:
            axis.plot(across, slope * (across - 1), color="0.4")
        axis.plot(*POINT, marker="s", color="black")
        axis.set(xlim=(0, 2), ylim=(-1, 1), xlabel="budget", ylabel="accuracy")
        note = axis.annotate("2.9", POINT, beside.BELOW[:2], textcoords="offset points", ha="center", va="top")
    return figure, note


def place(note: Annotation) -> beside.Place:
    return beside.Place(*note.get_position(), note.get_ha(), note.get_va())


def test_a_free_place_is_kept():
    figure, note = drawn(0.0)
    beside.settle(figure, [(note, beside.BELOW)])
    assert place(note) == beside.BELOW


@pytest.mark.parametrize("slopes", [(-9.0,), (1.0, 9.0), (-0.5, 0.5, 4.0)])
def test_a_number_that_a_line_strikes_moves_to_where_none_does(slopes):
    figure, note = drawn(*slopes)
    assert any("text struck by a line: '2.9'" in defect for defect in legible.defects(figure))
    beside.settle(figure, [(note, beside.BELOW)])
    assert legible.defects(figure) == []
    assert place(note) != beside.BELOW


def test_numbers_of_marks_in_one_place_stand_apart_and_inside_their_panel():
    figure, first = drawn(0.0)
    (axis,) = figure.axes
    notes = [(first, beside.BELOW)]
    for text in ("3.0", "3.1"):
        notes.append((axis.annotate(text, POINT, (0, -7), textcoords="offset points"), beside.BELOW))
    edge = axis.annotate("0.45", (0.0, -1.0), (0, -7), textcoords="offset points")
    beside.settle(figure, [*notes, (edge, beside.BELOW)])
    assert legible.defects(figure) == []
    assert len({place(note) for note, _ in notes}) == len(notes)


def test_where_there_is_no_free_place_it_is_the_least_crowded_one():
    figure, note = drawn(0.0)
    (axis,) = figure.axes
    axis.vlines(np.linspace(0.0, 2.0, 200), -1, -0.02)
    axis.vlines(np.linspace(0.0, 2.0, 150), 0.02, 1)
    beside.settle(figure, [(note, beside.BELOW)])
    assert place(note).above > 0
