"""Figures and table of the DP-SWD paper, drawn from runs of the experiments themselves."""

import pandas as pd
import pytest

from wassdp import experiment
from wassdp.experiments import sliced_sensitivity, smoothed_distance
from wassdp.report import style
from wassdp.report.figures import smoothed_distance as toy
from wassdp.report.figures import squared_sensitivity
from wassdp.report.tables import sliced_noise


def frames(kind, settings, tmp_path, seeds=(0,)):
    runs, history = [], []
    for number, (parameters, seed) in enumerate((each, seed) for each in settings for seed in seeds):
        found = kind.run(
            kind.Parameters(**parameters), seed=seed, context=experiment.Context(folder=tmp_path, code="test")
        )
        columns = {f"parameters.{key}": value for key, value in kind.Parameters(**parameters).model_dump().items()}
        runs.append({"run": f"{number:012x}", "seed": seed} | columns | found.metrics)
        history += [{"run": f"{number:012x}"} | point.model_dump() for point in found.history]
    return pd.DataFrame(runs), pd.DataFrame(history)


def test_the_sensitivity_shows_its_law_and_its_bounds(tmp_path):
    settings = [{"projections": 20, "dimension": 50, "draws": 500, "tails": (1e-3,)}]
    runs, history = frames(sliced_sensitivity, settings, tmp_path)
    figure, data = squared_sensitivity.SquaredSensitivity(tail=0.001).draw(runs, history)
    style.save(figure, data, tmp_path / "figure")
    assert (tmp_path / "figure.svg").stat().st_size > 0
    assert {"density/drawn", "density/exact", "density/normal", "bound/clt", "quantile/upper"} <= set(data["metric"])
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert any(text.startswith("exact quantile") for text in labels)
    with pytest.raises(ValueError, match=r"tail = 0\.01"):
        squared_sensitivity.SquaredSensitivity(tail=0.01).draw(runs, history)
    with pytest.raises(ValueError, match="has 2 rows"):
        squared_sensitivity.SquaredSensitivity().draw(pd.concat([runs, runs]), history)


def test_the_toy_has_a_panel_per_noise_and_bands_over_draws(tmp_path):
    settings = [
        {"sigma": sigma, "points": points, "projections": 10, "shifts": 3}
        for sigma in (1.0, 3.0)
        for points in (20, 40)
    ]
    runs, history = frames(smoothed_distance, settings, tmp_path, seeds=(0, 1))
    figure, data = toy.SmoothedDistance().draw(runs, history)
    assert [axis.get_title() for axis in figure.axes] == [r"noise $\sigma$ = 1", r"noise $\sigma$ = 3"]
    assert (data["least"] <= data["mean"]).all()
    assert (data["mean"] <= data["most"]).all()
    assert set(data["draws"]) == {2}
    with pytest.raises(ValueError, match="has no swd along shift"):
        toy.SmoothedDistance().draw(runs, history[history["metric"] != "swd"])


def test_the_noise_table_shows_the_accounts_that_were_asked_for():
    row = dict.fromkeys(sliced_noise.COLUMNS, 1.0) | {"epsilon/upper/pld": 0.5, "sigma/10": 0.3, "sigma/1": 1.5}
    proven = sliced_noise.SlicedNoiseTable().build(pd.DataFrame([row]), pd.DataFrame())
    assert proven["steps"].tolist() == [1]
    assert proven["steps"].dtype.kind == "i"
    assert list(proven.columns[-3:]) == ["ε proven", "σ for ε = 10", "σ for ε = 1"]
    both = sliced_noise.SlicedNoiseTable().build(
        pd.DataFrame([row | {"epsilon/published/swd_clt": 9.9}]), pd.DataFrame()
    )
    assert "ε, Proposition 2 (CLT)" in both
    with pytest.raises(ValueError, match="epsilon/upper/pld"):
        sliced_noise.SlicedNoiseTable().build(pd.DataFrame([row]).drop(columns="epsilon/upper/pld"), pd.DataFrame())
