"""Results are packed beside tables and a ledger that were made of them, and beside no others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wassdp.cli import main
from wassdp.files import write_json
from wassdp.pipeline import plan as plans
from wassdp.result import load_result, save


@pytest.fixture
def results(tree: ModuleType, tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    tree.make(folder)
    collected(folder)
    return folder


def collected(folder: Path, *more: str) -> None:
    """Table of runs and ledger as the workflow makes them."""
    for verb in ("collect", "ledger"):
        assert main([verb, "--results", str(folder), *more]) == 0


def publish(results: Path, *more: str) -> int:
    return main(["publish", "--results", str(results), "--to", str(results.parent / "docs"), *more])


def refused(results: Path, capsys: Any, *more: str) -> str:
    """The one line that publishing ends with; nothing is written."""
    capsys.readouterr()
    assert publish(results, *more) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert not (results.parent / "docs").exists()
    assert "let snakemake collect the results first" in line
    return str(line)


def account_anew(folder: Path, run: str) -> None:
    """Another delta in a result, as after a change of the configuration and a kill before its table was made."""
    path = folder / "runs" / run / "result.json"
    result = load_result(path)
    first, *others = result.guarantees
    changed = first.model_copy(update={"delta": 0.01, "epsilon": 0.5})
    save(path, result.model_copy(update={"guarantees": (changed, *others), "digest": None}))


def test_a_budget_that_was_accounted_anew_stands_beside_no_earlier_one(results: Path, capsys: Any) -> None:
    row = plans.read(results / "plan.json").runs[1]
    account_anew(results, row.run)
    for more in ([], ["--partial"]):
        line = refused(results, capsys, *more)
        assert f"runs.csv: has other figures of run {row.run} ({row.title}) than its result" in line
    assert main(["collect", "--results", str(results)]) == 0
    assert f"ledger.csv: has other figures of run {row.run}" in refused(results, capsys)
    (results / "ledger.csv").unlink()
    assert f"ledger.json: has other figures of run {row.run}" in refused(results, capsys, "--partial")
    collected(results)
    assert publish(results) == 0


def test_another_plan_publishes_no_ledger_of_runs_that_it_does_not_have(
    tree: ModuleType, results: Path, capsys: Any
) -> None:
    tree.make(results, sigmas=(1.0,), finished=False)
    line = refused(results, capsys)
    assert "of which no result of this plan is here" in line
    assert line.endswith("first")
    collected(results)
    assert publish(results) == 0


def test_a_run_that_is_in_no_table_is_not_packed(tree: ModuleType, results: Path, capsys: Any) -> None:
    """With ``--keep-going`` a failed run leaves the tables of all runs as they were."""
    tree.make(results, seeds=(0, 1, 2), finished=False)
    done, failed = (row for row in plans.read(results / "plan.json").runs if row.seed == 2)
    tree.finish(results, done)
    line = refused(results, capsys, "--partial")
    assert f"runs.csv: has no run {done.run} ({done.title}), which is finished" in line
    assert f"or let `wassdp publish --merge {results} --set quick` draw what is finished" in line
    collected(results, "--partial")
    assert publish(results, "--partial") == 0
    assert f"missing: run {failed.run}" in capsys.readouterr().err


def test_tables_that_were_never_made_are_missing_and_no_others(results: Path, capsys: Any) -> None:
    for path in (*results.glob("ledger.*"), results / "runs.csv"):
        path.unlink()
    assert publish(results, "--partial") == 0
    assert "missing: runs.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [("runs.csv", ""), ("ledger.json", "{}"), ("ledger.json", '{"columns": ["run"], "texts": {}, "rows": [[[]]]}')],
)
def test_what_is_no_table_is_refused_by_name(results: Path, name: str, content: str, capsys: Any) -> None:
    (results / name).write_text(content)
    assert publish(results) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{results / name}: is no " in line


def test_words_of_an_earlier_version_are_no_other_figures(results: Path) -> None:
    """A set that an earlier version collected stays publishable: it may have lacked a column, and said less."""
    path = results / "ledger.json"
    value = json.loads(path.read_text())
    place = value["columns"].index("selection")
    value["columns"].pop(place)
    value["texts"]["rests_on"] = ["other words" for _ in value["texts"]["rests_on"]]
    for row in value["rows"]:
        row.pop(place)
    write_json(path, value)
    assert publish(results) == 0


def test_a_healthy_set_of_long_figures_is_published(tree: ModuleType, results: Path) -> None:
    """Tables hold figures as CSV has them, to the last digit."""
    shutil.rmtree(results)
    tree.make(results, sigmas=(1 / 3, 1e-9, 7e22), shift=0.1 / 3)
    collected(results)
    assert publish(results) == 0
