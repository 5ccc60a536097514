"""``wassdp claims``: a line for each, JSON, other results, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wassdp import claims, cli


def test_one_line_each_with_verdict_and_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["claims", "tangent-theorem-3-3*", "--tried", "200", "--seed", "1"]) == 0
    refuted, smallest, repaired = capsys.readouterr().out.splitlines()
    assert refuted.startswith("1/2 tangent-theorem-3-3: tangent-dp: Theorem 3.3: refuted: found / stated ")
    assert smallest.startswith("    smallest: β = ")
    assert repaired.startswith("2/2 tangent-theorem-3-3-repaired: tangent-dp: Theorem 3.3, repaired here: repaired: ")


def test_json_says_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["claims", "wasserstein-dp-table-2-attack", "--json"]) == 0
    shown = capsys.readouterr()
    (found,) = json.loads(shown.out)
    assert found["verdict"] == "refuted"
    assert (found["paper"], found["item"]) == ("wasserstein-dp", "Table 2")
    assert "fashion_mnist, DP: stated 0.623, found 0.9478" in found["counterexample"]
    assert shown.err.startswith("1/1 wasserstein-dp-table-2-attack")


def test_the_list_checks_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims.Inequality, "check", lambda *_: pytest.fail("was checked"))
    assert cli.main(["claims", "--list"]) == 0
    assert [line.split(": ")[0] for line in capsys.readouterr().out.splitlines()] == list(claims.names())


def test_absent_results_are_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["claims", "wasserstein-dp-epochs", "--results", str(tmp_path)]) == 0
    assert "not measured here: no results of published-epochs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["theorem-9"], "claim = 'theorem-9': must be one of "),
        (["--tried", "none"], "argument --tried: 'none': must be few, usual or a whole number from 1 on"),
        (["--seed", "-1"], "seed = -1: must be a whole number of at least 0"),
        (["--results", "nowhere"], "results = 'nowhere': no such folder; must be a folder of published sets"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], words: list[str], line: str) -> None:
    try:
        code = cli.main(["claims", *words])
    except SystemExit as left:
        code = int(left.code or 0)
    assert code == 2
    assert line in capsys.readouterr().err
