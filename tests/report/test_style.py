"""Files of figures: complete, reproducible, and without traces in the global settings."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from wassdp.report import seeds as _seeds
from wassdp.report import style


def figure() -> tuple[Figure, pd.DataFrame]:
    data = pd.DataFrame({"x": [0.0, 1.0], "y": [0.1, 1 / 3]})
    with style.context():
        drawn, (axis,) = style.panels(1, 1)
        axis.plot(data["x"], data["y"], label=r"$\varepsilon$")
        axis.fill_between(data["x"], data["y"], 0, hatch="/", alpha=0.3)
        seeds = pd.DataFrame({"x": [0.0, 0.0, 1.0, 1.0], "y": [0.0, 0.2, 0.3, 0.5]})
        _seeds.band(axis, seeds, "x", "y", color=style.BLUE)
        axis.legend()
    return drawn, data


def test_equal_figures_are_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        style.save(*figure(), tmp_path / name)
    for suffix in ("svg", "png", "csv"):
        first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("a", "b"))
        assert first
        assert first == second
    assert "<dc:date>" not in (tmp_path / "a.svg").read_text()


def test_a_dot_in_the_name_stays(tmp_path: Path) -> None:
    style.save(*figure(), tmp_path / "figure-2.1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure-2.1.csv", "figure-2.1.png", "figure-2.1.svg"]


def test_the_data_keep_every_digit(tmp_path: Path) -> None:
    drawn, data = figure()
    style.save(drawn, data, tmp_path / "a")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), data)


def test_nothing_global_changes(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    style.save(*figure(), tmp_path / "a")
    assert dict(mpl.rcParams) == before


def test_labels_of_an_axis_that_the_layout_gave_other_ticks_are_whole(tmp_path: Path) -> None:
    looks = [(f"proven ε = {size}", {}) for size in (1, 3, 10)]
    with style.context():
        drawn, axes = style.wide_panels(3)
        for axis in axes:
            axis.plot([1, 100], [60, 89.5])
            axis.set_title("a method")
            axis.set_xlabel("epoch")
            axis.set_ylabel("accuracy on the target (%)")
            axis.set_ylim(bottom=70)
            axis.legend(handles=style.handles(looks), loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
        style.legend_right(drawn, looks)
    style.save(drawn, pd.DataFrame(), tmp_path / "a")
    ink = np.asarray(Image.open(tmp_path / "a.png").convert("L")) < 200
    assert ink.any()
    assert not any(edge.any() for edge in (ink[:, :2], ink[:, -2:], ink[:2], ink[-2:]))


@pytest.mark.parametrize("count", [1, 3, 9])
def test_a_legend_is_never_wider_than_its_figure(count):
    with style.context():
        figure = Figure(figsize=style.PANEL, layout="constrained")
        figure.subplots()
        style.legend_below(figure, [("a budget with a long name", {})] * count)
        figure.draw_without_rendering()
        assert figure.legends[0].get_window_extent().width <= figure.bbox.width


@pytest.mark.parametrize("count", [1, 30])
def test_a_legend_beside_the_panels_is_never_taller_than_its_figure(count):
    with style.context():
        figure, _ = style.panels(1, 1)
        style.legend_right(figure, [("a budget\nwith a long name", {})] * count)
        figure.draw_without_rendering()
        assert figure.legends[0].get_window_extent().height <= figure.bbox.height


@pytest.mark.parametrize("count", [2, 5, 9])
def test_ordered_colours_differ_and_many_are_ordered_by_lightness(count):
    colours = style.ordered_colours([str(place) for place in range(count)])
    assert len(set(colours.values())) == count
    lightness = [
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), to_rgb(each), strict=True)) for each in colours.values()
    ]
    assert count < style.ORDERED_FROM or lightness == sorted(lightness)
