"""Figures 2 and 4, drawn from the frames that the pipeline collects."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from wassdp import config
from wassdp.pipeline import collect, plan
from wassdp.pipeline.account import account
from wassdp.pipeline.execute import execute
from wassdp.plugins import Plugins
from wassdp.report.figures import FIGURES, composition
from wassdp.report.kinds import Output
from wassdp.report.tables import TABLES

EXPERIMENT = {
    "name": "composition",
    "paper": "wdp",
    "kind": "synthetic_gradients",
    "parameters": {"steps": 4, "gradients": 5, "coordinates": 20},
    "grid": {"threshold": ["batch", "population"], "clip": [False, True], "clip_quantile": [0.05, 0.99]},
    "seeds": [0, 1],
    "accountants": [
        {"name": "moments", "options": {"orders": [16], "sensitivity": "threshold"}},
        {"name": "bayesian", "options": {"orders": [16]}},
        {"name": "moments", "label": "moments-order-1", "options": {"orders": [1], "sensitivity": "threshold"}},
        {"name": "bayesian", "label": "bayesian-order-1", "options": {"orders": [1]}},
        "wasserstein",
        # Stands in for the upper bound, whose own tests are elsewhere: unbounded where C is private or clips nothing.
        {"name": "renyi", "label": "stand-in"},
    ],
}

Frames = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    folder = tmp_path_factory.mktemp("composition")
    asked = config.validate({"preset": "test", "experiments": [EXPERIMENT]})
    table = plan.plan(asked)
    for run in table.runs:
        outcome = folder / "runs" / run.run / "outcome.json"
        execute(run.spec, outcome)
        account(outcome, outcome.with_name("result.json"), asked.experiments[0].accountants)
    found = collect.results(table, folder)
    pair = []
    for frame in (collect.run_frame(table, found), collect.history_frame(found)):
        again = pd.read_csv(io.StringIO(frame.to_csv(index=False)), dtype={"run": str})
        pair.append(again)
    runs, history = pair
    history["metric"] = history["metric"].str.replace("published/stand-in", "upper/pld")
    return runs, history


@pytest.mark.parametrize("clip", [False, True])
def test_the_data_are_means_and_extremes_over_seeds(frames: Frames, clip: bool) -> None:
    runs, history = frames
    figure, data = composition.Composition(clip=clip).draw(runs, history)
    assert len(figure.axes) == 2
    assert set(data["kind"]) == {"published"}
    assert (data["seeds"] == 2).all()
    as_published = runs["parameters.threshold"].isna()
    assert as_published.sum() == len(runs) / 2
    wanted = runs[as_published & (runs["parameters.clip"] == clip) & (runs["parameters.clip_quantile"] == 0.99)]["run"]
    values = history[
        history["run"].isin(wanted) & (history["metric"] == "epsilon/published/bayesian") & (history["position"] == 4)
    ]["value"]
    (row,) = data.query("curve == 'BDP' and clip_quantile == 0.99 and step == 4").to_dict("records")
    assert row["epsilon"] == pytest.approx(values.mean())
    assert (row["epsilon_least"], row["epsilon_most"]) == (pytest.approx(values.min()), pytest.approx(values.max()))
    drawn = figure.axes[1].lines[1].get_ydata()
    np.testing.assert_allclose(drawn, data.query("curve == 'BDP' and clip_quantile == 0.99")["epsilon"])


@pytest.mark.parametrize("clip", [False, True])
def test_the_companions_bound_is_that_of_clipped_runs_with_a_public_threshold(frames: Frames, clip: bool) -> None:
    runs, history = frames
    figure, data = composition.Composition(clip=clip, companion=True).draw(runs, history)
    bound = data[data["kind"] == "upper"]
    assert (bound["clipped"] & bound["public"]).all()
    assert np.isfinite(bound["epsilon"]).all()
    published = data[data["kind"] == "published"]
    assert not published["public"].any()
    assert (published["clipped"] == clip).all()
    # What is drawn as proven is no budget of a run as published: none of those has one.
    upper = history[history["metric"] == "epsilon/upper/pld"].merge(runs, on="run")
    assert upper.loc[upper["parameters.threshold"].isna(), "value"].eq(np.inf).all()
    words = "public constant" if clip else "gradients clipped to $C$, a public constant"
    assert words in figure.legends[0].get_texts()[-1].get_text()
    why = "taken from private" if clip else "not clipped"
    assert all(why in axis.texts[-1].get_text() for axis in figure.axes)
    assert all("no finite budget" in axis.texts[-1].get_text() for axis in figure.axes)


def test_the_companion_shows_order_1_beside_the_published_order(frames: Frames) -> None:
    figure, data = composition.Composition(clip=True, companion=True).draw(*frames)
    last = data[(data["step"] == 4) & (data["clip_quantile"] == 0.05)].set_index("curve")["epsilon"]
    assert (last[["DP, order 1", "BDP, order 1"]].to_numpy() < last[["DP", "BDP"]].to_numpy()).all()
    assert all(len(axis.lines) == 6 for axis in figure.axes)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["DP", "BDP", "WDP", "DP, order 1", "BDP, order 1", "proven upper bound, $C$ a public constant"]


def test_a_missing_run_or_curve_is_an_error(frames: Frames) -> None:
    runs, history = frames
    unclipped = runs[~runs["parameters.clip"]]
    with pytest.raises(ValueError, match="clip = True and threshold = population, which upper bound needs"):
        composition.Composition(clip=False, companion=True).draw(unclipped, history)
    as_published = runs[runs["parameters.threshold"].isna()]
    for left in (as_published, as_published.drop(columns="parameters.threshold")):
        with pytest.raises(ValueError, match="threshold = population, which upper bound needs"):
            composition.Composition(clip=True, companion=True).draw(left, history)
    with pytest.raises(ValueError, match="epsilon/published/wasserstein"):
        composition.Composition(clip=True).draw(runs, history[history["metric"] != "epsilon/published/wasserstein"])
    with pytest.raises(ValueError, match=r"parameters\.clip"):
        composition.Composition(clip=True).draw(runs.drop(columns="parameters.clip"), history)


@pytest.mark.parametrize("options", [{}, {"clip": True, "companions": True}, {"clip": "some"}])
def test_options_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"clip|companions"):
        composition.Composition.model_validate(options)


@pytest.mark.parametrize("folder", [FIGURES, TABLES])
def test_there_is_a_caption(folder: Plugins) -> None:
    for kind in folder.names():
        assert folder.choice(kind, Output).caption.strip()
