"""``wassdp audit``: the table of attacked mechanisms, what is refused, and the verb that was called so before."""

from __future__ import annotations

import json

import pytest

from wassdp import cli, noise
from wassdp.accounting import rounding
from wassdp.cli.verbs.audit import AUDITS


def test_a_table_and_json_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["audit", "mechanisms", "published_step", "gaussian", "--trials", "20000", "--seed", "4"]
    assert cli.main(asked) == 0
    shown = capsys.readouterr()
    header, published, proven, _, said = shown.out.splitlines()
    assert " ".join(header.split()) == ("mechanism claim epsilon distribution-free family-based fit counted seconds")
    assert published.startswith("published_step  published  1 ")
    assert published.endswith("above what was published")
    assert proven.startswith("gaussian        proven     0.99983  ")
    assert said == "delta = 1e-05, confidence 0.95, seed 4"
    assert shown.err.splitlines()[1] == "2/2 gaussian: 20,000 releases in each world"

    assert cli.main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {name: found[name] for name in ("epsilon", "delta", "confidence", "seed", "trials")} == {
        "epsilon": 1.0,
        "delta": 1e-5,
        "confidence": 0.95,
        "seed": 4,
        "trials": 20_000,
    }
    assert found["contradictions"] == []
    step, gaussian = found["mechanisms"]
    assert (step["kind"], gaussian["kind"]) == ("published", "upper")
    assert "family-based" not in step
    for basis in ("distribution-free", "family-based"):
        # A lower bound is rounded down.
        epsilon = rounding.rounded(gaussian[basis]["epsilon"], "lower", digits=5)
        assert f"{epsilon} ({100 * gaussian[basis]['share']:.1f} %)" in proven


def test_a_contradiction_is_one_line_and_the_others_are_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rounded = noise.rounded
    monkeypatch.setattr(noise, "rounded", lambda x, *, std, generator: rounded(x, std=std / 2, generator=generator))
    assert cli.main(["audit", "mechanisms", "gaussian", "gibbs", "--trials", "10000", "--epsilon", "2"]) == 1
    shown = capsys.readouterr()
    assert [line.split()[0] for line in shown.out.splitlines()[:2]] == ["mechanism", "gibbs"]
    assert shown.err.splitlines()[-1].startswith("wassdp audit mechanisms: gaussian: ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("mechanisms gaussians", "mechanism = 'gaussians': did you mean gaussian? must be one of "),
        ("mechanisms --trials 0", "trials = 0: must be a whole number of at least 100"),
        ("mechanisms --confidence 1", "confidence = 1.0: must lie strictly between 0 and 1"),
        ("mechanisms --delta 0", "delta = 0.0: must lie strictly between 0 and 1"),
        ("mechanisms --epsilon 0", "epsilon = 0.0: must be above 0"),
        ("mechanisms --seed -1", "seed = -1: must be a whole number of at least 0"),
        ("--spec {} --out x", "a run of a plan, or a specification, is `wassdp run` today"),
        ("0123456789ab --out x", "a run of a plan, or a specification, is `wassdp run` today"),
    ],
)
def test_what_is_refused_is_one_line_before_any_work(capsys: pytest.CaptureFixture[str], words: str, line: str) -> None:
    assert cli.main(["audit", *words.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert line in shown.err
    assert shown.err.count("\n") == 1


def test_every_audit_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["audit", "--help"])
    shown = capsys.readouterr().out
    for name in AUDITS.names():
        assert name in shown
        assert AUDITS.load(name).HELP.endswith(".")


def test_a_budget_that_one_mechanism_cannot_have_is_told_before_any_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", "mechanisms", "gaussian", "published_step", "--epsilon", "0.1"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == ("wassdp audit: epsilon = 0.1: no noise gives that published figure at delta = 1e-05\n")
