"""Figure 3, drawn from a frame of the documented shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wassdp.experiment import Context
from wassdp.experiments import tail_bound as experiment
from wassdp.report.figures import tail_bound

Frames = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def frames() -> Frames:
    parameters = experiment.Parameters(points=6)
    found = experiment.run(parameters, seed=0, context=Context(folder=Path("unused"), code=""))
    runs = pd.DataFrame([{"run": "0" * 12, "seed": 0} | found.metrics])
    return runs, pd.DataFrame([{"run": "0" * 12, **point.model_dump()} for point in found.history])


def test_figure(frames: Frames) -> None:
    figure, data = tail_bound.TailBound().draw(*frames)
    left, right = figure.axes
    assert (len(left.lines), len(right.lines)) == (4, 4)
    assert right.get_xscale() == "log"
    assert set(data["kind"]) == {"published"}
    np.testing.assert_allclose(left.lines[0].get_ydata(), 10 - np.log(1e-10) / np.arange(1, 51))


def test_companion(frames: Frames) -> None:
    figure, data = tail_bound.TailBound(companion=True).draw(*frames)
    left, right = figure.axes
    assert (len(left.lines), len(right.lines)) == (9, 9)
    flat = data[(data["axis"] == "beta") & (data["kind"] == "exact")]
    assert (flat.groupby("level")["value"].nunique() == 1).all()
    inside = data[(data["axis"] == "delta") & (data["kind"] == "exact")]
    assert inside["position"].max() <= 1.001e-5  # panel b ends where the paper's does
    spread = flat["value"].max() / flat["value"].min()
    assert spread > 30


def test_what_is_missing_is_an_error(frames: Frames) -> None:
    runs, history = frames
    with pytest.raises(ValueError, match="companion_delta"):
        tail_bound.TailBound(companion=True, companion_delta=2e-05).draw(runs, history)
    with pytest.raises(ValueError, match="one run"):
        tail_bound.TailBound().draw(pd.concat([runs, runs]), history)
    with pytest.raises(ValueError, match="exact/scale"):
        tail_bound.TailBound(companion=True).draw(runs, history[~history["metric"].str.startswith("exact")])
