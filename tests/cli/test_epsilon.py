"""The public command line of accounting: output, schema and one-line refusals."""

import dataclasses
import json

import pytest

from wassdp.accounting.events.laplace import Laplace
from wassdp.cli import main, mechanism

DPSGD = ["dpsgd", "--records", "60000", "--batch", "256", "--delta", "1e-5"]
DPSGD_BATCH = ["dpsgd", "--records", "60000", "--batch", "70000", "--delta", "1e-5"]
DPSWD = ["dpswd", "--projections", "50", "--dimension", "20", "--records", "1000", "--batch", "10", "--delta", "1e-5"]
DPSWD_NONE = ["dpswd", "--projections", "0", *DPSWD[3:]]
ONE = ["--steps", "1"]


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
    assert (found["steps"], found["rate"]) == (235, 256 / 60000)
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


@pytest.mark.parametrize(("epochs", "more", "steps"), [
    ("60", [], 14100),  # 14,062 leaves out the last batch of 48 of the 60 passes, and rounds
    ("60", ["--steps-per-epoch", "234"], 14040),
    ("1", [], 235),
    ("0.5", [], 118),
    ("0.1", ["--steps-per-epoch", "30"], 3),
    ("1e-9", [], 1),
])  # fmt: skip
def test_epochs_count_the_last_batch_and_the_output_says_how_many_steps(epochs, more, steps, capsys):
    asked = ["epsilon", *DPSGD, "--noise-multiplier", "1.1", "--epochs", epochs, *more, "--accountant", "rdp"]
    assert main(asked) == 0
    first, warned, empty, header = capsys.readouterr().out.splitlines()[:4]
    assert first == f"{steps} step{'s' * (steps > 1)}, sampling rate 0.00426667"
    assert warned.startswith("delta x records = 0.6, above 0.1: ")
    assert (empty, header.split()[0]) == ("", "accountant")
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["steps"], found["rate"]) == (steps, 256 / 60000)


def test_calibration_and_curves_say_steps_and_rate(capsys, tmp_path):
    assert main(["calibrate", *DPSGD, "--epochs", "0.1", "--epsilon", "2"]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert float(first.removeprefix("noise multiplier = ")) > 0
    assert second == "24 steps, sampling rate 0.00426667"
    assert main(["calibrate", "gaussian", "--steps", "3", "--epsilon", "2", "--delta", "1e-5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["steps"], found["rate"], found["note"]) == (3, 1.0, None)
    out = tmp_path / "figure.svg"
    assert main(["curve", "gaussian", "--noise-multiplier", "1", "--points", "2", "--out", str(out)]) == 0
    assert capsys.readouterr().out.splitlines() == [str(out), "1 step, sampling rate 1"]


def test_unbounded_is_null(capsys):
    assert main(["epsilon", "gaussian", "--noise-multiplier", "0", "--delta", "1e-5", "--json"]) == 0
    assert {row["epsilon"] for row in json.loads(capsys.readouterr().out)["rows"]} == {None}


def test_table_marks_what_published_figures_do_not_prove(capsys):
    assert main(["epsilon", *DPSWD, "--sigma", "2", "--steps", "100"]) == 0
    out = capsys.readouterr().out
    assert "* swd_clt: the sensitivity's tail event is counted once" in out
    assert out.index("pld") < out.index("swd_bernstein")


def test_table_says_what_its_error_is_and_lists_orders_as_a_range(capsys):
    assert main(["epsilon", *DPSGD, "--noise-multiplier", "1", "--steps", "100"]) == 0
    out = capsys.readouterr().out
    assert "\nerror: the exact value lies at most so far below epsilon\n" in out
    assert "* moments: orders 1 to 32 (" in out
    assert "* renyi: orders 2 to 6, 8, 16, 32, 64 (" in out
    assert main(["epsilon", "gaussian", "--noise-multiplier", "1", "--delta", "1e-5", "--accountant", "zcdp"]) == 0
    assert "error:" not in capsys.readouterr().out


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
    (["epsilon", *DPSGD[:-1], "0", "--noise-multiplier", "1", *ONE], "delta = 0.0"),
    (["epsilon", *DPSGD[:-1], "1", "--noise-multiplier", "1", *ONE], "delta = 1.0"),
    (["calibrate", *DPSGD, "--epsilon", "-1"], "epsilon = -1.0"),
    (["epsilon", *DPSGD_BATCH, "--noise-multiplier", "1"], "batch = 70000"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1"], "--epochs: is missing with --batch (or --steps"),
    (["calibrate", *DPSGD, "--epsilon", "1"], "--epochs: is missing with --batch (or --steps"),
    (["epsilon", *DPSGD, "--noise-multiplier", "-1"], "noise_multiplier = -1.0"),
    (["epsilon", *DPSGD, "--noise-multiplier", "nan"], "noise_multiplier = nan"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--sigma", "1"], "give one of them"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--steps", "3", "--epochs", "1"], "give one of them"),
    (["epsilon", *DPSWD_NONE, "--sigma", "1"], "projections = 0"),
    (["epsilon", *DPSWD, "--sigma", "1", "--directions", "orthogonal"], "projections = 50: orthogonal"),
    (["epsilon", *DPSWD, "--noise-multiplier", "1"], "does not apply"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", *ONE, "--sampling", "without-replacement",
      "--adjacency", "add-remove"],
     "no theorem covers adjacency 'add-remove'"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--sampling", "full"], "--batch must be left out"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", *ONE, "--accountant", "nobody"], "accountant = 'nobody'"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", *ONE, "--accountant", "swd_clt"], "accountant = 'swd_clt'"),
    (["calibrate", *DPSGD, "--epsilon", "1", *ONE, "--accountant", "gdp"], "only upper bounds calibrate"),
    (["calibrate", *DPSGD, "--epsilon", "1", "--noise-multiplier", "1"], "is what is sought"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--epochs", "inf"], "epochs = inf"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--epochs", "1", "--steps-per-epoch", "0"], "steps_per_epoch = 0"),
    (["epsilon", *DPSGD, "--noise-multiplier", "1", "--steps", "1", "--steps-per-epoch", "5"], "goes with --epochs"),
    (["epsilon", "laplace", "--noise-multiplier", "1", "--steps-per-epoch", "5", "--delta", "1e-5"], "does not apply"),
    (["curve", *DPSGD[:-2], "--noise-multiplier", "1", "--out", "figure.txt"], "must end in"),
    (["curve", *DPSGD[:-2], "--noise-multiplier", "1", "--out", f"{__file__}/a.svg"],
     "a.svg': must lie in a folder, and "),
    (["curve", *DPSGD[:-1], "0", "--noise-multiplier", "1", *ONE, "--kind", "steps", "--out", "refused.svg"],
     "delta = 0.0"),
    (["curve", *DPSGD, "--noise-multiplier", "1", *ONE, "--kind", "trade-off", "--out", "refused.svg"],
     "--delta = 1e-05: does not apply to --kind trade-off"),
    (["epsilon", *DPSGD[:-1], "-1e-5", "--noise-multiplier", "1", *ONE], "delta = -1e-05"),
    (["epsilon", *DPSGD, "--noise-multiplier", "-inf", *ONE], "noise_multiplier = -inf"),
    (["curve", *DPSGD[:-2], "--noise-multiplier", "1", *ONE, "--points", "1", "--out", "refused.svg"], "points = 1"),
    (["curve", *DPSGD[:-2], "--noise-multiplier", "0", *ONE, "--out", "refused.svg"], "no finite budget"),
    (["curve", *DPSGD_BATCH[:-2], "--noise-multiplier", "1", "--out", "refused.svg"], "batch = 70000"),
    (["calibrate", *DPSGD_BATCH, "--epsilon", "1"], "batch = 70000"),
])  # fmt: skip
def test_bad_input_is_one_line_and_code_2(arguments, reason, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert reason in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out
    assert not list(tmp_path.iterdir())


def test_calibrate_does_not_stop_at_its_first_guess(capsys):
    asked = ["calibrate", "dpsgd", "--epsilon", "8", "--records", "1000000", "--batch", "1000", "--steps", "1"]
    assert main([*asked, "--delta", "1e-6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["found"]["noise_multiplier"] == pytest.approx(0.3036, rel=5e-4)
    assert 7.99 <= found["rows"][0]["epsilon"] <= 8


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


@pytest.mark.parametrize("adjacency", ["replace-one-inside-class", "k-end"])
def test_replace_one_inside_its_class_is_known_by_its_former_name_too(adjacency, capsys):
    asked = ["epsilon", "gaussian", "--noise-multiplier", "2", "--delta", "1e-5", "--accountant", "zcdp", "--json"]
    assert main([*asked, "--adjacency", adjacency]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["mechanism"]["adjacency"], found["rows"][0]["adjacency"]) == ("replace-one-inside-class",) * 2


def test_mechanisms_share_an_option_that_they_declare_alike_and_a_clash_is_named(monkeypatch, capsys):
    known = mechanism.commands()
    event, gibbs = known["gibbs"]
    alike = known | {"other": (event, dataclasses.replace(gibbs, name="other"))}
    monkeypatch.setattr(mechanism, "commands", lambda: alike)
    assert main(["epsilon", "gibbs", "--inverse-temperature", "10", "--risk-range", "1", "--records", "100",
                 "--delta", "1e-6", "--accountant", "pld"]) == 0  # fmt: skip
    capsys.readouterr()
    own = {**gibbs.own, "inverse_temperature": {**gibbs.own["inverse_temperature"], "type": int}}
    clash = known | {"other": (event, dataclasses.replace(gibbs, name="other", own=own))}
    monkeypatch.setattr(mechanism, "commands", lambda: clash)
    assert main(["epsilon", "gaussian", "--noise-multiplier", "4", "--delta", "1e-5"]) == 2
    line = "wassdp epsilon: --inverse-temperature: is declared differently by gibbs and other\n"
    assert capsys.readouterr().err == line


def test_two_mechanisms_of_one_name_are_named_before_anything_is_computed(monkeypatch, capsys):
    (laplace,) = Laplace.commands
    monkeypatch.setattr(Laplace, "commands", (dataclasses.replace(laplace, name="gibbs"),))
    for verb in ("epsilon", "calibrate"):
        assert main([verb, "gaussian", "--noise-multiplier", "4", "--delta", "1e-5"]) == 2
        shown = capsys.readouterr()
        assert shown.err == f"wassdp {verb}: mechanism gibbs: is a command of Gibbs and Laplace\n"
        assert not shown.out


@pytest.mark.parametrize(("delta", "share"), [("2e-4", 12.0), ("1e-6", 0.06), ("1.6666666666666667e-06", 0.1)])
@pytest.mark.parametrize("verb", [["epsilon", "--noise-multiplier", "1"], ["calibrate", "--epsilon", "1"]])
def test_a_delta_that_lets_records_be_given_away_is_said(verb, delta, share, capsys):
    asked = [verb[0], "dpsgd", "--records", "60000", "--batch", "256", "--steps", "1", "--delta", delta, *verb[1:]]
    assert main(asked) == 0
    line = "delta x records = 12, above 0.1: a mechanism that gives away so many records whole keeps this delta"
    said = capsys.readouterr().out
    assert said.count("delta x records") == said.count(line) == (share > 0.1)
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["delta_times_records"] == pytest.approx(share)


def test_without_records_nothing_is_said_of_delta_times_records(capsys):
    asked = ["epsilon", "gaussian", "--noise-multiplier", "1", "--delta", "0.9"]
    assert main(asked) == 0
    assert "records" not in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    assert "delta_times_records" not in json.loads(capsys.readouterr().out)
