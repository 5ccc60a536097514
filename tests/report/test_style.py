"""Files of figures: complete, reproducible, and without traces in the global settings."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from wassdp.report import style


def figure() -> tuple[Figure, pd.DataFrame]:
    data = pd.DataFrame({"x": [0.0, 1.0], "y": [0.1, 1 / 3]})
    with style.context():
        drawn, (axis,) = style.panels(1, 1)
        axis.plot(data["x"], data["y"], label=r"$\varepsilon$")
        axis.fill_between(data["x"], data["y"], 0, hatch="/", alpha=0.3)
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


@pytest.mark.parametrize("count", [1, 3, 9])
def test_a_legend_is_never_wider_than_its_figure(count):
    with style.context():
        figure = Figure(figsize=style.PANEL, layout="constrained")
        figure.subplots()
        style.legend_below(figure, [Line2D([], [], label="a budget with a long name")] * count)
        figure.draw_without_rendering()
        assert figure.legends[0].get_window_extent().width <= figure.bbox.width
