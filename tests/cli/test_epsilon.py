"""The public command line of accounting: output, schema and one-line refusals."""

import json

import pytest

from wassdp.cli import main

DPSGD = ["dpsgd", "--records", "60000", "--batch", "256", "--delta", "1e-5"]
DPSWD = ["dpswd", "--projections", "50", "--dimension", "20", "--records", "1000", "--batch", "10", "--delta", "1e-5"]


def test_json_schema(capsys):
    assert main(["epsilon", *DPSGD, "--noise-multiplier", "1.1", "--epochs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["delta"] == 1e-5
    assert found["mechanism"] == {
        "name": "dpsgd",
        "batch": 256,
        "epochs": 1.0,
        "noise_multiplier": 1.1,
        "records": 60000,
    }
    keys = [
        "accountant",
        "kind",
        "epsilon",
        "epsilon_error",
        "adjacency",
        "sampling",
        "assumptions",
        "source",
        "seconds",
    ]
    assert all(list(row) == keys for row in found["rows"])
    kinds = [row["kind"] for row in found["rows"]]
    assert kinds == sorted(kinds, key=["upper", "published"].index)
    assert found["rows"][0]["accountant"] == "pld"
    assert {(row["adjacency"], row["sampling"]) for row in found["rows"]} == {("add-remove", "poisson")}


def test_unbounded_is_null(capsys):
    assert main(["epsilon", "gaussian", "--noise-multiplier", "0", "--delta", "1e-5", "--json"]) == 0
    assert {row["epsilon"] for row in json.loads(capsys.readouterr().out)["rows"]} == {None}


def test_table_marks_what_published_figures_do_not_prove(capsys):
    assert main(["epsilon", *DPSWD, "--sigma", "2", "--steps", "100"]) == 0
    out = capsys.readouterr().out
    assert "* swd_clt: the sensitivity's tail event is counted once" in out
    assert out.index("pld") < out.index("swd_bernstein")


@pytest.mark.parametrize("mechanism", [
    ["gaussian", "--sigma", "4", "--sensitivity", "2", "--steps", "10"],
    ["laplace", "--noise-multiplier", "5", "--steps", "3"],
    ["wasserstein-gradient", "--noise-multiplier", "3", "--records", "1000", "--batch", "100", "--steps", "20"],
    ["gibbs", "--inverse-temperature", "10", "--risk-range", "1", "--records", "100"],
    ["dpswd", "--sigma", "2", "--projections", "20", "--dimension", "20", "--directions", "orthogonal"],
])  # fmt: skip
def test_every_mechanism(mechanism, capsys):
    assert main(["epsilon", *mechanism, "--delta", "1e-6", "--accountant", "pld"]) == 0
    assert "pld" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "reason"), [
    (["epsilon", *DPSGD[:-1], "0", "--noise-multiplier", "1"], "delta = 0.0"),
    (["epsilon", *DPSGD[:-1], "1", "--noise-multiplier", "1"], "delta = 1.0"),
    (["calibrate", *DPSGD, "--epsilon", "-1"], "epsilon = -1.0"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--batch", "70000"], "batch = 70000"),
    (["epsilon", *DPSGD, "--noise-multiplier", "-1"], "noise_multiplier = -1.0"),
    (["epsilon", *DPSGD, "--noise-multiplier", "nan"], "noise_multiplier = nan"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--sigma", "1"], "give one of them"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--steps", "3", "--epochs", "1"], "give one of them"),
    (["epsilon", *DPSWD, "--sigma", "1", "--projections", "0"], "projections = 0"),
    (["epsilon", *DPSWD, "--sigma", "1", "--directions", "orthogonal"], "projections = 50: orthogonal"),
    (["epsilon", *DPSWD, "--noise-multiplier", "1"], "does not apply"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--sampling", "without-replacement", "--adjacency", "add-remove"],
     "no theorem covers adjacency 'add-remove'"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--sampling", "full"], "--batch must be left out"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--accountant", "nobody"], "accountant = 'nobody'"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--accountant", "swd_clt"], "accountant = 'swd_clt'"),
    (["calibrate", *DPSGD, "--epsilon", "1", "--accountant", "gdp"], "only upper bounds calibrate"),
    (["calibrate", *DPSGD, "--epsilon", "1", "--noise-multiplier", "1"], "is what is sought"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--epochs", "inf"], "epochs = inf"),
    (["curve", *DPSGD, "--noise-multiplier", "1", "--out", "figure.txt"], "must end in"),
    (["curve", *DPSGD[:-1], "0", "--noise-multiplier", "1", "--out", "refused.svg"], "delta = 0.0"),
    (["curve", *DPSGD, "--noise-multiplier", "1", "--points", "1", "--out", "refused.svg"], "points = 1"),
    (["curve", *DPSGD, "--noise-multiplier", "0", "--out", "refused.svg"], "no finite budget"),
    (["curve", *DPSGD, "--noise-multiplier", "1", "--batch", "70000", "--out", "refused.svg"], "batch = 70000"),
    (["calibrate", *DPSGD, "--epsilon", "1", "--batch", "70000"], "batch = 70000"),
])  # fmt: skip
def test_bad_input_is_one_line_and_code_2(arguments, reason, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert reason in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out
    assert not list(tmp_path.iterdir())


def test_calibrate_keeps_the_budget(capsys):
    assert main(["calibrate", *DPSGD, "--epochs", "1", "--epsilon", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    exact = next(row for row in found["rows"] if row["accountant"] == "pld")
    assert 1.99 <= exact["epsilon"] <= 2
    assert found["found"]["noise_multiplier"] > 0
    assert main(["calibrate", *DPSGD, "--noise-multiplier", "1", "--find", "steps", "--epsilon", "0.5", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["found"]["steps"]
    assert (
        main(["epsilon", *DPSGD, "--noise-multiplier", "1", "--steps", str(steps + 5), "--accountant", "pld", "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["rows"][0]["epsilon"] > 0.5


@pytest.mark.parametrize("kind", ["profile", "steps", "trade-off"])
def test_curves_are_written(kind, tmp_path):
    out = tmp_path / f"{kind}.svg"
    arguments = ["curve", *DPSGD[:-2], "--noise-multiplier", "1.5", "--steps", "50", "--kind", kind, "--points", "6"]
    assert main([*arguments, "--out", str(out)]) == 0
    assert out.read_text().startswith("<?xml")
