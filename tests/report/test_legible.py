"""The checker of figures: each defect is found in a figure that has it, and none in one that has none."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from wassdp.report import legible, style


def good() -> tuple[Figure, pd.DataFrame]:
    """A figure without a defect: two lines, a legend, named axes, a note of seeds."""
    data = pd.DataFrame({"epsilon": [0.5, 1.0, 3.0], "accuracy": [80.0, 85.0, 90.0], "seeds": [1, 3, 3]})
    with style.context():
        figure, (axis,) = style.panels(1, 1)
        axis.plot(data["epsilon"], data["accuracy"], marker="o", color=style.RED)
        axis.set(title="MNIST", xscale="log", xlabel=r"$\varepsilon$, proven (PLD)", ylabel="test accuracy (%)")
        looks = {"DP (moments)": {"color": style.KINDS["DP"]}, "proven (PLD)": {"color": style.UPPER}}
        style.legend_right(figure, looks.items())
        style.foot(figure, "1 to 3 seeds a setting")
    return figure, data


def test_a_good_figure_has_no_defect():
    assert legible.defects(*good()) == []


def ink(figure: Figure) -> None:
    figure.add_artist(style.Line2D([0.0, 0.3], [0.5, 0.5], color="black", transform=figure.transFigure))


def outside(figure: Figure) -> None:
    figure.axes[0].text(1.5, 0.5, "far away", transform=figure.axes[0].transAxes, in_layout=False)


def clipped_legend(figure: Figure) -> None:
    entries = style.handles([(f"a budget with a long name\nproven ε = {place}", {}) for place in range(9)])
    figure.axes[0].legend(handles=entries, loc="upper center").set_in_layout(False)


def covering_legend(figure: Figure) -> None:
    figure.legend(handles=style.handles([("all of them", {})]), loc="center")


def overlapping(figure: Figure) -> None:
    for word in ("one", "two"):
        figure.axes[0].text(0.2, 0.8, word, transform=figure.axes[0].transAxes)


def struck_by_a_line(figure: Figure) -> None:
    axis = figure.axes[0]
    axis.axhline(85.5, color="black")
    axis.text(0.6, 85.5, "85.5", va="center")


def struck_in_spite_of_an_edge(figure: Figure) -> None:
    edge = [withStroke(linewidth=2, foreground="white")]
    figure.axes[0].text(1.0, 84.9, "2.9", va="center", ha="center", zorder=9, path_effects=edge)


def touched_by_a_broad_line(figure: Figure) -> None:
    axis = figure.axes[0]
    axis.axhline(82.0, color="black", linewidth=6)
    axis.annotate("82", (0.6, 82.0), (0, 1), textcoords="offset points", va="bottom", zorder=9)


def struck_by_an_axis(figure: Figure) -> None:
    edge = [withStroke(linewidth=2, foreground="white")]
    axis = figure.axes[0]
    axis.text(0.4, 0.0, "0.76", va="center", transform=axis.transAxes, zorder=9, path_effects=edge)


def tiny(figure: Figure) -> None:
    figure.axes[0].set_title("MNIST", fontsize=5)


def small_on_a_page(figure: Figure) -> None:
    figure.set_size_inches(14, 4)


def nameless(figure: Figure) -> None:
    figure.axes[0].set_ylabel("")


def accountant(figure: Figure) -> None:
    figure.axes[0].set_xlabel(r"$\varepsilon$ (upper/pld)")


def identifier(figure: Figure) -> None:
    figure.axes[0].set_title("run 0123456789ab")


def slug(figure: Figure) -> None:
    figure.axes[0].set_title("scattering-mnist-accuracy")


def snake(figure: Figure) -> None:
    figure.axes[0].set_title("office_caltech10")


def other_colour(figure: Figure) -> None:
    axis = figure.axes[0]
    handles = style.handles([("WDP", {"color": style.KINDS["DP"]})])
    axis.legend(handles=handles, loc="upper left")


def other_proof(figure: Figure) -> None:
    axis = figure.axes[0]
    axis.legend(handles=style.handles([("proven: at most this", {"color": style.RED})]), loc="upper left")


def exponent(figure: Figure) -> None:
    figure.axes[0].set_title("δ = 1e-05")


def taken_by_an_entry(figure: Figure) -> None:
    axis = figure.axes[0]
    axis.legend(handles=style.handles([("DP-SWD", {"color": style.KINDS["BDP"]})]), loc="upper left")


def taken_by_a_line(figure: Figure) -> None:
    figure.axes[0].lines[0].set_color(style.KINDS["WDP"])


def taken_by_points(figure: Figure) -> None:
    figure.axes[0].scatter([1.0], [81.0], color=style.KINDS["BDP"])


def unsaid(figure: Figure) -> None:
    figure.legends[0].set_title("")
    figure.supxlabel("")


def moved(figure: Figure) -> None:
    figure.axes[0].plot([0.94], [85.0], marker="o")


BAD: dict[Callable[[Figure], None], tuple[legible.Check, str]] = {
    ink: (legible.ink_at_the_edge, "ink at the left edge"),
    outside: (legible.text_outside, "text outside of the image: 'far away'"),
    clipped_legend: (legible.legend_outside, "legend cut by the edge of the image"),
    covering_legend: (legible.legend_outside, "legend of the figure over the panel 'MNIST'"),
    overlapping: (legible.texts_overlap, "texts overlap: 'one' and 'two'"),
    struck_by_a_line: (legible.text_struck, "text struck by a line: '85.5'"),
    struck_in_spite_of_an_edge: (legible.text_struck, "text struck by a line: '2.9'"),
    touched_by_a_broad_line: (legible.text_struck, "text struck by a line: '82'"),
    struck_by_an_axis: (legible.text_struck, "text struck by an axis: '0.76'"),
    tiny: (legible.text_too_small, "1 texts under 6 pt at the width of a page, of 5.0 pt"),
    small_on_a_page: (legible.text_too_small, "under 6 pt at the width of a page"),
    nameless: (legible.axis_without_name, "vertical axis without a name: panel 'MNIST'"),
    accountant: (legible.raw_names, "raw name 'upper/pld'"),
    identifier: (legible.raw_names, "raw name '0123456789ab'"),
    slug: (legible.raw_names, "raw name 'scattering-mnist-accuracy'"),
    snake: (legible.raw_names, "raw name 'office_caltech10'"),
    other_colour: (legible.meaning_of_colours, "colour of 'WDP' is #0072b2, in all figures it is #009e73"),
    other_proof: (legible.meaning_of_colours, "colour of 'proven: at most this' is #d55e00"),
    exponent: (legible.raw_numbers, "number '1e-05' in the text 'δ = 1e-05'"),
    taken_by_an_entry: (legible.taken_colours, "'DP-SWD' has the colour of BDP"),
    taken_by_a_line: (legible.taken_colours, "panel 'MNIST' has the colour of WDP for something else"),
    taken_by_points: (legible.taken_colours, "panel 'MNIST' has the colour of BDP for something else"),
    unsaid: (legible.seeds_unsaid, "some settings have one seed, and no text says so"),
    moved: (legible.moved_marks, "a mark of panel 'MNIST' stands at 0.94"),
}


@pytest.mark.parametrize("spoil", BAD, ids=lambda spoil: spoil.__name__)
def test_a_defect_is_found(spoil):
    figure, data = good()
    with style.context():
        spoil(figure)
    found = legible.defects(figure, data)
    assert any(BAD[spoil][1] in defect for defect in found), found


def test_every_check_has_a_bad_figure():
    assert {check for check, _ in BAD.values()} == set(legible.CHECKS)


def test_a_name_beside_one_panel_speaks_for_its_row():
    with style.context():
        figure, axes = style.panels(2, 2)
        for axis in axes:
            axis.plot([0.0, 1.0], [0.0, 1.0])
        for axis in axes[::2]:
            axis.set_ylabel("loss")
        for axis in axes[2:]:
            axis.set_xlabel("step")
    assert legible.defects(figure) == []
    axes[2].set_ylabel("")
    assert legible.defects(figure) == ["vertical axis without a name: panel ''"]


@pytest.mark.parametrize("words", ["cross-entropy", "up-to-date", "DP-SWD", "state-of-the-art", "$x_{ab}$ of a run"])
def test_words_of_english_and_formulas_are_no_raw_names(words):
    figure, data = good()
    figure.axes[0].set_title(words)
    assert legible.defects(figure, data) == []
