"""Lines over seeds: where their mean and their range stand, and that seaborn is loaded for drawing alone."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from wassdp.report import seeds, style
from wassdp.report.figures import FIGURES
from wassdp.report.tables import TABLES

POINTS = pd.DataFrame({"x": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0], "y": [1.0, 2.0, 6.0, 4.0, 4.0, 7.0]})


def axis() -> Axes:
    return style.panels(1, 1)[1][0]


def test_a_band_goes_from_the_smallest_to_the_largest_around_the_mean() -> None:
    with style.context():
        drawn = axis()
        seeds.band(drawn, POINTS, "x", "y", color=style.BLUE)
    (line,) = [each for each in drawn.lines if len(each.get_xdata())]
    np.testing.assert_allclose(line.get_xydata(), [[1, 3], [2, 5]])
    corners = {tuple(corner) for corner in drawn.collections[0].get_paths()[0].vertices}
    assert corners == {(1, 1), (1, 6), (2, 4), (2, 7)}


def test_bars_go_from_the_smallest_to_the_largest() -> None:
    with style.context():
        drawn = axis()
        seeds.bars(drawn, POINTS, "x", "y", color=style.BLUE)
    segments = drawn.collections[0].get_segments()
    np.testing.assert_allclose(segments, [[[1, 1], [1, 6]], [[2, 4], [2, 7]]])


def test_a_line_without_a_band_has_none() -> None:
    drawn = axis()
    seeds.band(drawn, POINTS, "x", "y", alpha=0, color=style.BLUE)
    assert not drawn.collections


def test_a_place_where_a_seed_is_unbounded_is_left_out() -> None:
    drawn = axis()
    seeds.band(drawn, POINTS.replace({"y": {6.0: np.inf}}), "x", "y", color=style.BLUE)
    (line,) = [each for each in drawn.lines if len(each.get_xdata())]
    assert line.get_xydata().tolist() == [[2, 5]]


def test_nothing_finite_is_no_line() -> None:
    drawn = axis()
    seeds.band(drawn, POINTS.assign(y=np.inf), "x", "y", color=style.BLUE)
    assert not any(len(each.get_xdata()) for each in drawn.lines)


def test_a_logarithmic_scale_would_change_the_mean() -> None:
    drawn = axis()
    drawn.set_yscale("log")
    with pytest.raises(ValueError, match="axis = log: must be linear"):
        seeds.band(drawn, POINTS, "x", "y", color=style.BLUE)


def test_equal_seeds_whose_mean_is_rounded_have_a_bar_of_no_length() -> None:
    """The mean of three times 0.1 is above 0.1: Matplotlib refuses bars of negative length."""
    values = pd.Series([0.1, 0.1, 0.1])
    assert values.sum() / 3 > 0.1
    drawn = axis()
    seeds.bars(drawn, pd.DataFrame({"x": [1.0] * 3, "y": values}), "x", "y", color=style.BLUE)
    least, most = seeds.span(values)
    assert least <= values.mean() <= most


def test_what_draws_nothing_loads_no_matplotlib() -> None:
    names = [f"wassdp.{name}" for name in ("config", "pipeline.collect", "pipeline.plan", "ledger.rows")]
    code = f"import sys, {', '.join(names)}; sys.exit(bool({{'matplotlib', 'torch'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_drawing_loads_no_torch() -> None:
    names = [FIGURES.module(name) for name in FIGURES.names()] + [TABLES.module(name) for name in TABLES.names()]
    code = f"import sys, {', '.join(names)}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
