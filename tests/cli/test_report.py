"""The verbs that draw: what of the collected tables reaches a figure or table."""

import pandas as pd
import pytest

from wassdp import cli, config
from wassdp.report import frames, kinds


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


def read(folder, experiment):
    return frames.of_experiment(folder / "runs.csv", folder / "history.csv", experiment)


def test_columns_of_other_experiments_stay_away_but_delta_says_that_no_run_is_private(collected):
    runs, history = read(collected, "baselines")
    assert runs["delta"].isna().all()
    assert "epsilon/upper/pld" not in runs
    assert list(history["run"]) == ["a" * 12]
    runs, history = read(collected, "private")
    assert "parameters.task.name" not in runs
    assert history.empty
    with pytest.raises(ValueError, match="experiment = 'none': has no run in"):
        read(collected, "none")


def test_a_table_of_baselines_alone_is_made(collected):
    places = ["--runs", str(collected / "runs.csv"), "--history", str(collected / "history.csv")]
    chosen = ["--experiment", "baselines", "--kind", "adaptation", "--out", str(collected / "table")]
    assert cli.main(["table", *places, *chosen]) == 0
    (row,) = pd.read_csv(collected / "table.csv").to_dict("records")
    assert (row["method"], row["accuracy (%)"]) == ("source only", 87.5)
    assert pd.isna(row["δ"])
    assert pd.isna(row["proven ε"])


@pytest.mark.parametrize(("missing", "what"), [("runs", "runs"), ("history", "curves")])
def test_a_table_that_is_not_there_is_named(collected, capsys, missing, what):
    places = {"runs": collected / "runs.csv", "history": collected / "history.csv", missing: collected / "gone.csv"}
    words = [word for name, path in places.items() for word in (f"--{name}", str(path))]
    chosen = ["--experiment", "baselines", "--kind", "adaptation", "--out", str(collected / "table")]
    assert cli.main(["table", *words, *chosen]) == 2
    assert (
        f"{missing} = '{collected / 'gone.csv'}': no such file; must be a table of {what}, which"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("section", "member", "made", "said"),
    [
        (
            "figures",
            "draw",
            None,
            "draw must return a Matplotlib figure and a data frame of what it shows, not None",
        ),
        ("figures", "draw", (1, pd.DataFrame()), "of what it shows, not (int, DataFrame)"),
        ("tables", "build", [1], "build must return a data frame, not list"),
    ],
)
def test_a_plugin_that_returns_something_else_is_named(collected, monkeypatch, capsys, section, member, made, said):
    asked = config.SECTIONS[section].choice("epochs_to_accuracy", kinds.Output)
    monkeypatch.setattr(asked, member, lambda *_: made)
    places = ["--runs", str(collected / "runs.csv"), "--history", str(collected / "history.csv")]
    chosen = ["--experiment", "baselines", "--kind", "epochs_to_accuracy", "--options", '{"frameworks": {}}']
    assert cli.main([section.removesuffix("s"), *places, *chosen, "--out", str(collected / "x")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"wassdp.report.{section}.epochs_to_accuracy.{asked.__name__}: " in line
    assert said in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--options", "{", "--out", "x"], "options = '{': must be a JSON object (Expecting property name"),
        (["--options", "[]", "--out", "x"], "options = []: must be keys and values"),
        (["--out", "x.svg"], "out = 'x.svg': must be a path without suffix"),
        (["--out", ""], "out = '.': must be a path without suffix"),
    ],
)
def test_what_is_refused_before_a_table_is_read(capsys, words, said):
    assert cli.main(["figure", "--runs", "none.csv", "--experiment", "a", "--kind", "composition", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"wassdp figure: {said}")


def test_a_table_in_the_folder_of_figures_is_none(monkeypatch):
    monkeypatch.setitem(config.SECTIONS, "figures", config.TABLES)
    with pytest.raises(ValueError, match=r"tables\.adaptation: must define one Figure, not 0"):
        config.output("figures", config.FigureChoice(name="x", kind="adaptation"))
