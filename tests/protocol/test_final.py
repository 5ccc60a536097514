"""Final: a look at the plan is no reading, and one ends with all results of its own configuration alone."""

from __future__ import annotations

import copy
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake import cli

import _tree
from _tuned import CONFIG
from wassdp.cli import main
from wassdp.config import read
from wassdp.pipeline import engine, readings
from wassdp.protocol import final, trials
from wassdp.protocol.freeze import check, store_of
from wassdp.protocol.study import studies
from wassdp.result import Result, save
from wassdp.runs import expand
from wassdp.selection import READ

SETTING = {"base_std": 1.0, "loss": "savage", "hypotheses": 20}


def freeze(folder: Path) -> Path:
    """A frozen file whose trials nobody made."""
    path = folder / "tried.yaml"
    path.write_text(yaml.safe_dump(copy.deepcopy(CONFIG)))
    for study in studies(read(path)):
        for number in range(3):
            trial = trials.Trial(number=number, setting=SETTING, value=0.5, state="complete")
            trials.append(study.file(store_of(path)), trial)
    assert main(["freeze", str(path)]) == 0
    return store_of(path) / "frozen.yaml"


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In a folder with results of another configuration; its pipeline does nothing and ends with 0."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").write_text("")
    _tree.make(tmp_path / "results")
    monkeypatch.setattr(engine, "run", lambda words, environment: 0)
    return freeze(tmp_path)


def complete(frozen: Path, results: Path) -> list[str]:
    """Results of all runs of a frozen file; their runs."""
    rows = list(expand(read(frozen)).unique().values())
    for row in rows:
        about: dict[str, Any] = {"guarantees": (), "history": (), "accounting_code": "1" * 16}
        about |= {"metrics": {"accuracy": 0.5}, "provenance": _tree.provenance()}
        made = Result(run=row.id, spec=row.spec, delta=None, **about)
        save(results / "runs" / row.id / "result.json", made)
    return [row.id for row in rows]


@pytest.mark.parametrize("option", ["--dry-run", "--dryrun", "-n", "-pn", "--summary", "--dag", "--lint", "--no-such"])
def test_a_look_is_no_reading(frozen: Path, option: str) -> None:
    assert main(["final", str(frozen), "--", option]) == 0
    assert readings.read(frozen.parent) == []


@pytest.mark.parametrize("words", [["results/data/digits.json"], ["--until", "dataset"], []])
def test_a_reading_stays_open_until_every_run_of_its_own_has_a_result(
    frozen: Path, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["final", str(frozen), "--", *words]
    assert main(command) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "4 of 4 runs have no result yet: reading 1 stays open" in line
    runs = complete(frozen, tmp_path / "results")
    torn = tmp_path / "results" / "runs" / runs[0] / "result.json"
    whole = torn.read_bytes()
    torn.write_bytes(whole[:-9])
    assert main(command) == 0
    assert "1 of 4 runs have no result yet" in capsys.readouterr().err
    (reading,) = readings.read(frozen.parent)
    assert (reading["finished"], reading["results"]) == (None, {})
    torn.write_bytes(whole)
    assert main(command) == 0
    (reading,) = readings.read(frozen.parent)
    assert reading["finished"]
    assert sorted(reading["results"]) == sorted(runs), "and of nothing else that lies in the folder"
    assert main(command) == 2
    assert "test records were read before" in capsys.readouterr().err


def test_a_reading_finishes_where_the_pipeline_worked(
    frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(words: list[str], environment: dict[str, str]) -> int:
        complete(frozen, tmp_path / "elsewhere" / "results")
        return 0

    monkeypatch.setattr(engine, "run", run)
    assert main(["final", str(frozen), "--", "--directory", str(tmp_path / "elsewhere")]) == 0
    assert readings.read(frozen.parent)[0]["finished"]


def test_runs_that_were_computed_before_are_no_first_reading_without_a_reason(
    frozen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = complete(frozen, tmp_path / "results")
    assert main(["final", str(frozen)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"test records were read: 4 runs of the frozen configuration were computed before (run {min(runs)})" in line
    assert readings.read(frozen.parent) == []
    assert main(["final", str(frozen), "--again", "computed by the pipeline of another preset"]) == 0
    (reading,) = readings.read(frozen.parent)
    assert (reading["earlier"], reading["reason"]) == (sorted(runs), "computed by the pipeline of another preset")
    assert main(["freeze", str(tmp_path / "tried.yaml")]) == 0


@pytest.mark.parametrize("reason", ["", "   ", "\t\n", "\u200b", "\x1b"])
def test_a_reason_says_something(frozen: Path, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    readings.begin(frozen.parent, "d" * 64, commit=None, now="now")
    assert main(["final", str(frozen), "--again", reason]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wassdp final: again = ")
    assert line.endswith(": must say why test records are read once more")
    assert len(readings.read(frozen.parent)) == 1


def test_a_reading_of_another_store_counts(frozen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In either order: the record is the configuration's."""
    configuration, store = tmp_path / "tried.yaml", tmp_path / "far" / "store"
    shutil.copytree(frozen.parent, store)
    assert main(["freeze", str(configuration), "--store", str(store)]) == 0
    other = store / "frozen.yaml"
    assert read(other).experiments[0].selection == "validation, 3 trials"
    assert main(["final", str(other)]) == 0
    assert "reading 1 of the test records is on record in" in capsys.readouterr().out
    assert main(["final", str(frozen)]) == 2
    assert "test records were read before (reading 1, did not finish)" in capsys.readouterr().err
    for more in ([], ["--store", str(store)]):
        assert main(["freeze", str(configuration), *more]) == 0
    store.rename(tmp_path / "moved")
    assert main(["final", str(tmp_path / "moved" / "frozen.yaml"), "--again", "b"]) == 2
    assert "frozen.source = '../../tried.yaml': must be the configuration's file" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--store", "s2"], []])
def test_after_a_reading_another_store_and_a_copy_of_the_configuration_say_so(
    frozen: Path, tmp_path: Path, option: list[str]
) -> None:
    configuration = tmp_path / "tried.yaml"
    readings.begin(frozen.parent, "d" * 64, commit=None, now="now")
    if not option:
        configuration = configuration.with_name("copy.yaml")
        shutil.copy(tmp_path / "tried.yaml", configuration)
    store = tmp_path / "s2" if option else tmp_path / "copy"
    store.mkdir()
    for path in frozen.parent.glob("*.jsonl"):
        shutil.copy(path, store)
    assert main(["freeze", str(configuration), *option]) == 0
    assert read(store / "frozen.yaml").experiments[0].selection == READ


def test_what_is_frozen_is_planned_to_be_looked_at_and_computed_by_final_alone(
    frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, run = tmp_path / "plan.json", sorted(expand(read(frozen)).unique())[0]
    out = tmp_path / "out" / "outcome.json"
    plans = ["plan", "--config", str(frozen), "--out", str(plan)]
    assert main(plans) == 0
    assert main(["run", run, "--plan", str(plan), "--out", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "plan.json: frozen: test records are read through `wassdp final` alone" in line
    assert not out.exists()
    monkeypatch.setenv(readings.READING, check(frozen))
    assert main(plans) == 0
    monkeypatch.delenv(readings.READING)  # jobs on other machines may not have it: the plan says enough
    assert main(["run", run, "--plan", str(plan), "--out", str(out)]) == 0


def test_it_is_on_record_before_a_pipeline_begins(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def run(words: list[str], environment: dict[str, str]) -> int:
        seen.extend(readings.read(frozen.parent))
        return 1

    monkeypatch.setattr(engine, "run", run)
    assert main(["final", str(frozen)]) == 1
    assert [(each["begun"] is not None, each["finished"]) for each in seen] == [(True, None)]


def test_a_profile_with_a_dry_run_is_a_look(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("dry-run: true\n")
    words = ["--snakefile", "none", "--cores", "1"]
    assert final.working_folder(words) == Path()
    assert final.working_folder([*words, "--profile", str(tmp_path)]) is None


def test_all_that_snakemake_does_instead_of_running_jobs_is_known() -> None:
    text = inspect.getsource(cli.args_to_api)
    text = text[text.index("if args.lint:") : text.index("execute_workflow")]
    settings = {"preemptible_rules"}  # of jobs that run
    assert set(re.findall(r"if args\.(\w+)(?: is not None)?:", text)) - settings | {"touch"} == final.INSTEAD


@pytest.mark.slow
@pytest.mark.workflow
def test_parts_of_a_pipeline_leave_its_reading_open(tmp_path: Path) -> None:
    frozen, root = freeze(tmp_path), Path(__file__).parents[2]
    command = [sys.executable, "-m", "wassdp", "final", str(frozen), "--snakefile", str(root / "Snakefile"), "--"]
    environment = os.environ | {"PYTHONPATH": str(root / "src"), "WASSDP_DATA": str(tmp_path / "data")}
    (tmp_path / "config.yaml").write_text("preset: any\nexperiments: []\n")

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)

    assert call("--dry-run").returncode == 0
    assert call("--summary").returncode == 0
    assert readings.read(frozen.parent) == []
    done = call("results/data/digits.json")
    assert done.returncode == 0, done.stderr
    assert "4 of 4 runs have no result yet" in done.stderr
    assert readings.read(frozen.parent)[0]["finished"] is None
    run = sorted(expand(read(frozen)).unique())[0]
    assert "3 of 4 runs have no result yet" in call(f"results/runs/{run}/result.json").stderr
    assert readings.read(frozen.parent)[0]["finished"] is None
