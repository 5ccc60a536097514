"""The verbs that draw: what of the collected tables reaches a figure or table."""

import argparse

import pandas as pd
import pytest

from wassdp import cli
from wassdp.cli import report


@pytest.fixture
def collected(tmp_path):
    """Tables of two experiments; all runs of the first are without privacy."""
    baseline = {
        "run": "a" * 12,
        "experiment": "baselines",
        "seed": 0,
        "label": "source only",
        "problem": "USPS to MNIST",
        "method": "source only",
        "privacy": "",
        "accuracy": 0.875,
        "parameters.epochs": 3,
        "parameters.task.name": "digits",
        "parameters.task.source": "usps",
        "parameters.task.target": "mnist",
        "parameters.method.name": "source_only",
    }
    private = {"run": "b" * 12, "experiment": "private", "seed": 0, "delta": 1e-5, "epsilon/upper/pld": 1.0}
    pd.DataFrame([baseline, private]).to_csv(tmp_path / "runs.csv", index=False)
    pd.DataFrame([{"run": "a" * 12, "metric": "accuracy", "axis": "epoch", "position": 3, "value": 0.875}]).to_csv(
        tmp_path / "history.csv", index=False
    )
    return tmp_path


def arguments(folder, experiment):
    return argparse.Namespace(runs=folder / "runs.csv", history=folder / "history.csv", experiment=experiment)


def test_columns_of_other_experiments_stay_away_but_delta_says_that_no_run_is_private(collected):
    runs, history = report.frames(arguments(collected, "baselines"))
    assert runs["delta"].isna().all()
    assert "epsilon/upper/pld" not in runs
    assert list(history["run"]) == ["a" * 12]
    runs, history = report.frames(arguments(collected, "private"))
    assert "parameters.task.name" not in runs
    assert history.empty
    with pytest.raises(ValueError, match="experiment = 'none': has no run in"):
        report.frames(arguments(collected, "none"))


def test_a_table_of_baselines_alone_is_made(collected):
    places = ["--runs", str(collected / "runs.csv"), "--history", str(collected / "history.csv")]
    chosen = ["--experiment", "baselines", "--kind", "adaptation", "--out", str(collected / "table")]
    assert cli.main(["table", *places, *chosen]) == 0
    (row,) = pd.read_csv(collected / "table.csv").to_dict("records")
    assert (row["method"], row["accuracy (%)"]) == ("source only", 87.5)
    assert pd.isna(row["δ"])
    assert pd.isna(row["proven ε"])
