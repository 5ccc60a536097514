from __future__ import annotations

import csv
import ctypes
import io
import json
import lzma
import multiprocessing
import os
import re
import shutil
import signal
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import _checkout
from wassdp.cli import main
from wassdp.ledger.rows import EPSILON
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.publish import exchange, written
from wassdp.result import load_result, save


def publish(results: Path, target: Path, *more: str) -> int:
    return main(["publish", "--results", str(results), "--to", str(target), *more])


PACKED = {"ledger.csv.xz", "runs.csv.xz"}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def workflow(folder: Path) -> None:
    """Tables of all runs, ledger, figures and tables as the workflow makes them."""
    for verb in ("collect", "ledger"):
        assert main([verb, "--results", str(folder)]) == 0
    read = [*("--experiment", "training", "--runs", f"{folder}/runs.csv", "--history", f"{folder}/history.csv")]
    figure = ["figure", *read, "--kind", "budget_over_epochs", "--pictures", f"{folder}/pictures.csv"]
    assert main([*figure, "--options", "{}", "--out", f"{folder}/figures/wasserstein-dp/figure-2"]) == 0
    table = ["table", *read, "--kind", "lowest_budget", "--options", '{"seeds": 1}']
    assert main([*table, "--out", f"{folder}/tables/table-1"]) == 0


@pytest.fixture
def results(tree: ModuleType, tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "results"
    tree.make(folder)
    return folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "work" / "docs" / "results"


def test_what_is_published(tree: ModuleType, results: Path, target: Path, capsys: Any) -> None:
    plan = plans.read(results / "plan.json")
    for name in ("checkpoint.pt", "history.jsonl", "benchmark.tsv"):
        (results / "runs" / plan.runs[0].run / name).write_text("not for publishing")
    (results / "mlflow.db").write_text("not for publishing")
    (results / "figures" / "wasserstein-dp" / "forgotten.svg").write_text("of an earlier configuration")
    tree.finish(results, tree.planned(64.0, 0))
    assert publish(results, target) == 0
    found = contents(target / "quick")
    own = {"README.md", "provenance.json", "plan.json.xz", "results-1.tar.xz", "attacked.json"}
    runs = {run: raw for run, _, raw in stored.stored(target / "quick")}
    assert runs == {row.run: (results / "runs" / row.run / "result.json").read_bytes() for row in plan.runs}
    expected = {f"figures/wasserstein-dp/figure-2.{suffix}" for suffix in ("svg", "png", "csv")}
    expected |= {f"tables/table-1.{suffix}" for suffix in ("md", "csv", "tex")}
    expected |= {"ledger.md", "ledger.csv.xz", "ledger.json", "runs.csv.xz"}
    expected |= {f"claimed-attacked-proven.{suffix}" for suffix in ("svg", "png", "csv")}
    assert set(found) == expected | own
    # What lay in the folder, made by whom and of what ever, is none of it; the workflow makes of it the same.
    assert not any(found[name] == (results / name).read_bytes() for name in expected - PACKED)
    workflow(results)
    assert all(found[name] == (results / name).read_bytes() for name in expected - PACKED)
    assert lzma.decompress(found["ledger.csv.xz"]) == (results / "ledger.csv").read_bytes()
    # What budgets rest on is left to the ledger; every other digit is the workflow's.
    texts = (lzma.decompress(found["runs.csv.xz"]).decode(), (results / "runs.csv").read_text())
    ours, whole = (list(csv.DictReader(io.StringIO(text))) for text in texts)
    assert ours == [{name: row[name] for name in row if not name.startswith("assumptions/")} for row in whole]
    assert ours != whole
    assert [path.name for path in target.iterdir()] == ["quick"]
    assert "README.md" in capsys.readouterr().out


@pytest.mark.parametrize("more", [[], ["--partial"]])
def test_budgets_that_were_accounted_anew_stand_beside_no_earlier_ones(
    results: Path, target: Path, more: list[str]
) -> None:
    """As after a change of the configuration and a kill before the tables were collected of it."""
    workflow(results)
    for row in plans.read(results / "plan.json").runs:
        path = results / "runs" / row.run / "result.json"
        result = load_result(path)
        changed = [item.model_copy(update={"delta": 0.01, "epsilon": 0.5}) for item in result.guarantees[:1]]
        guarantees = (*changed, *result.guarantees[1:])
        save(path, result.model_copy(update={"guarantees": guarantees, "digest": None}))
    assert publish(results, target, *more) == 0
    ledger = pd.read_csv(target / "quick" / "ledger.csv.xz").query("accountant == 'pld'")
    runs = pd.read_csv(target / "quick" / "runs.csv.xz")
    for frame, epsilon, delta in ((ledger, EPSILON, "delta"), (runs, "epsilon/upper/pld", "delta/upper/pld")):
        assert (len(frame), set(frame[epsilon]), set(frame[delta])) == (4, {0.5}, {0.01})
    data = pd.read_csv(target / "quick" / "figures" / "wasserstein-dp" / "figure-2.csv")
    assert set(data.query("accountant == 'upper/pld'")["delta"]) == {0.01}


def test_large_data_of_a_figure_are_packed_and_linked(
    results: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow(results)
    monkeypatch.setattr(written, "OPEN_TABLE", 100)
    assert publish(results, target) == 0
    place = target / "quick" / "figures" / "wasserstein-dp"
    assert not list(place.glob("*.csv"))
    assert set(pd.read_csv(place / "figure-2.csv.xz")["accountant"]) >= {"upper/pld"}
    assert "[csv.xz](figures/wasserstein-dp/figure-2.csv.xz)" in (target / "quick" / "README.md").read_text()
    assert main(["publish", "--again", str(target / "quick"), "--pages"]) == 0
    assert (place / "figure-2.csv.xz").is_file()


def test_what_stands_in_a_folder_of_another_plan_is_not_published(
    tree: ModuleType, results: Path, target: Path
) -> None:
    workflow(results)
    tree.make(results, sigmas=(1.0,), finished=False)
    assert publish(results, target) == 0
    assert set(pd.read_csv(target / "quick" / "runs.csv.xz")["parameters.noise.sigma"]) == {1.0}
    assert len(pd.read_csv(target / "quick" / "figures/wasserstein-dp/figure-2.csv")["setting"].unique()) == 1


def test_where_it_comes_from(results: Path, target: Path) -> None:
    root = results.parent
    (root / ".gitignore").write_text("results/\n!docs/results/\n")
    commit = _checkout.committed(root)
    assert publish(results, target) == 0
    content = json.loads((target / "quick" / "provenance.json").read_text())
    (origin,) = content["parts"]
    assert origin["commit"] == commit
    assert origin["dirty"] is False
    assert origin["runs"] == 4
    assert origin["seconds"] == 50.0
    assert origin["code"] == {"dpsgd": ["0" * 16]}
    assert origin["versions"] == {"python": ["3.11.2"], "torch": ["2.13.0"]}
    assert origin["machines"] == ["x86_64, 2 processors"]
    assert content["missing"] == []
    assert publish(results, target) == 0
    (origin,) = json.loads((target / "quick" / "provenance.json").read_text())["parts"]
    assert origin["dirty"] is False, "earlier published results are no change of the code"
    (root / "new.py").write_text("x = 1\n")
    assert publish(results, target) == 0
    (origin,) = json.loads((target / "quick" / "provenance.json").read_text())["parts"]
    assert (origin["dirty"], origin["changed_files"]) == (True, 1)
    assert "with 1 changed files" in (target / "quick" / "README.md").read_text()


@pytest.mark.parametrize(("configured", "said"), [(6, "4 runs of 6, "), (None, "4 runs, ")])
def test_runs_are_counted_of_those_configured_not_of_those_planned(
    results: Path, target: Path, configured: int | None, said: str
) -> None:
    plan = plans.read(results / "plan.json")
    own = tuple(each.model_copy(update={"configured_runs": configured}) for each in plan.experiments)
    (results / "plan.json").write_text(plan.model_copy(update={"experiments": own}).model_dump_json())
    assert publish(results, target) == 0
    assert f"\n{said}computed in" in (target / "quick" / "README.md").read_text()


def test_outside_of_version_control(results: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", "/")
    assert publish(results, target) == 0
    (origin,) = json.loads((target / "quick" / "provenance.json").read_text())["parts"]
    assert origin["commit"] is None
    assert origin["dirty"] is None


def test_the_index_leads_everywhere(results: Path, target: Path) -> None:
    assert publish(results, target) == 0
    text = (target / "quick" / "README.md").read_text()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 10
    assert all((target / "quick" / link).is_file() for link in links)
    assert "| paper | experiment | not proven |" in text
    assert "| wasserstein-dp | training | 2 |" in text
    assert "incomplete" not in text
    assert "\n4 runs, computed in 50 s on x86_64, 2 processors (cpu)" in text
    assert text.index("## Experiments") < text.index("## Where they come from") < text.index("\n4 runs, computed")


def test_a_missing_run_is_refused_or_named(tree: ModuleType, results: Path, target: Path, capsys: Any) -> None:
    plan = plans.read(results / "plan.json")
    shutil.rmtree(results / "runs" / plan.runs[1].run)
    assert publish(results, target) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert plan.runs[1].run in said
    assert not target.exists()
    assert publish(results, target, "--partial") == 0
    text = (target / "quick" / "README.md").read_text()
    assert "**incomplete**" in text
    assert f"- run {plan.runs[1].run} ({plan.runs[1].title})" in text
    assert json.loads((target / "quick" / "provenance.json").read_text())["missing"][0].startswith("run ")
    assert publish(results, target) == 2
    tree.make(results, finished=False)
    for row in plan.runs:
        shutil.rmtree(results / "runs" / row.run, ignore_errors=True)
    assert publish(results, target, "--partial") == 2
    assert "no finished run" in capsys.readouterr().err


def test_a_figure_that_lacks_a_run_is_named_and_one_that_lacks_none_refused(
    tree: ModuleType, results: Path, target: Path, capsys: Any
) -> None:
    """The table asks for three seeds; two of them are finished."""
    plan = tree.make(results, seeds=(0, 1, 2), finished=False)
    (experiment,) = plan.experiments
    table = experiment.tables[0].model_copy(update={"options": {"seeds": 3}})
    plans.write(
        results / "plan.json",
        plan.model_copy(update={"experiments": (experiment.model_copy(update={"tables": (table,)}),)}),
    )
    assert publish(results, target, "--partial") == 0
    said = capsys.readouterr().err
    reason = next(line for line in said.splitlines() if line.startswith("missing: tables.table-1 of training: "))
    assert reason.removeprefix("missing: ") in (target / "quick" / "provenance.json").read_text()
    assert not (target / "quick" / "tables").exists()
    assert (target / "quick" / "figures" / "wasserstein-dp" / "figure-2.png").is_file()
    complete = [row for row in plan.runs if row.seed != 2]
    own = experiment.model_copy(update={"tables": (table,)})
    plans.write(results / "plan.json", plan.model_copy(update={"runs": tuple(complete), "experiments": (own,)}))
    for more in ([], ["--partial"]):
        assert publish(results, target, *more) == 2
        assert "tables.table-1 of training: " in capsys.readouterr().err


def test_an_experiment_without_a_finished_run_is_named(
    tree: ModuleType, results: Path, target: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plan = plans.read(results / "plan.json")
    (experiment,) = plan.experiments
    other = experiment.model_copy(update={"name": "later"})
    rows = tuple(tree.planned(4.0, seed, "later") for seed in (0, 1))
    both = plan.model_copy(update={"experiments": (experiment, other), "runs": (*plan.runs, *rows)})
    plans.write(results / "plan.json", both)
    assert publish(results, target, "--partial") == 0
    missing = json.loads((target / "quick" / "provenance.json").read_text())["missing"]
    assert "figures.figure-2 of later: none of its runs is finished" in missing
    assert len(missing) == 4
    drawn = [each.getMessage() for each in caplog.records if each.name == "wassdp.publish.drawn"]
    assert drawn == [f"{target / 'quick'}: 1 of 2: training", f"{target / 'quick'}: 2 of 2: later"]


def test_large_files_are_refused(results: Path, target: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert publish(results, target) == 0
    sizes = {path.name: path.stat().st_size for path in (target / "quick").rglob("*") if path.is_file()}
    largest = max(sizes, key=lambda name: sizes[name])
    assert largest.startswith(("figure-2.", "claimed-attacked-proven."))
    shutil.rmtree(target)
    monkeypatch.setattr(stored, "LARGEST", sizes[largest] - 1)
    for more in ([], ["--partial"]):
        assert publish(results, target, *more) == 2
        assert f"{largest} (" in capsys.readouterr().err
    assert not list(target.glob("*"))


def test_results_of_another_run_are_refused(results: Path, target: Path, capsys: Any) -> None:
    first, second = plans.read(results / "plan.json").runs[:2]
    path = results / "runs" / first.run / "result.json"
    shutil.copy(results / "runs" / second.run / "result.json", path)
    assert publish(results, target) == 2
    assert f"belongs to run {second.run}" in capsys.readouterr().err
    path.write_text(path.read_text()[:100])
    assert publish(results, target, "--partial") == 2
    assert str(path) in capsys.readouterr().err


def test_the_results_folder_is_no_target(results: Path, capsys: Any) -> None:
    renamed = results.with_name("quick")
    results.rename(renamed)
    assert publish(renamed, renamed.parent) == 2
    assert (renamed / "plan.json").is_file()


def test_a_preset_that_is_no_name(tree: ModuleType, results: Path, target: Path, capsys: Any) -> None:
    plan = plans.read(results / "plan.json").model_copy(update={"preset": "../elsewhere"})
    plans.write(results / "plan.json", plan)
    assert publish(results, target) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert f"{results / 'plan.json'}: is not a plan (preset: String should match" in said
    assert not target.exists()
    assert not (target.parent / "elsewhere").exists()


@pytest.mark.parametrize("atomic", [True, False])
def test_stale_files_go(
    tree: ModuleType, results: Path, target: Path, atomic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not atomic:
        monkeypatch.setattr(exchange, "_exchange", lambda first, second: False)
    assert publish(results, target) == 0
    before = contents(target / "quick")
    assert len(dict(item[::2] for item in stored.stored(target / "quick"))) == 4
    tree.make(results, sigmas=(1.0,))
    (target / "quick" / "notes.txt").write_text("stale")
    (target / "other").mkdir()
    assert publish(results, target) == 0
    after = contents(target / "quick")
    assert after.keys() == before.keys()
    assert len(dict(item[::2] for item in stored.stored(target / "quick"))) == 2
    assert after["figures/wasserstein-dp/figure-2.csv"] != before["figures/wasserstein-dp/figure-2.csv"]
    assert sorted(path.name for path in target.iterdir()) == ["other", "quick"]


@pytest.mark.parametrize("atomic", [True, False])
def test_a_folder_that_nobody_published_is_not_replaced(
    results: Path, target: Path, atomic: bool, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    if not atomic:
        monkeypatch.setattr(exchange, "_exchange", lambda first, second: False)
    (target / "quick").mkdir(parents=True)
    (target / "quick" / "thesis.txt").write_text("of years\n")
    before = contents(target)
    assert publish(results, target) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{target / 'quick'}: must be a published folder, empty or absent; it has no provenance.json" in line
    assert contents(target) == before
    (target / "quick" / "thesis.txt").unlink()
    assert publish(results, target) == 0
    assert (target / "quick" / "README.md").is_file()


def test_this_system_exchanges_in_one_step(tmp_path: Path) -> None:
    if not hasattr(ctypes.CDLL(None), "renameat2"):
        pytest.skip("this system has no renameat2")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "x").touch()
    assert exchange._exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b" / "x").exists()
    assert not exchange._exchange(tmp_path / "a", tmp_path / "missing")


def undrawn(results: Path) -> None:
    """Leave figures and tables out of a plan: the ledger's picture and the files around it are drawn sooner."""
    plan = plans.read(results / "plan.json")
    own = tuple(each.model_copy(update={"figures": (), "tables": ()}) for each in plan.experiments)
    plans.write(results / "plan.json", plan.model_copy(update={"experiments": own}))


def killed_at(call: int, results: Path, target: Path) -> int | None:
    """Exit code of a publishing process that is killed at its ``call``-th rename or exchange of names."""

    def body() -> None:
        left = [call]

        def deadly(original: Any) -> Any:
            def wrapped(*arguments: Any, **named: Any) -> Any:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return original(*arguments, **named)

            return wrapped

        Path.replace = deadly(Path.replace)
        Path.rename = deadly(Path.rename)
        exchange._exchange = deadly(exchange._exchange)
        shutil.rmtree = deadly(shutil.rmtree)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os._exit(publish(results, target))

    child = multiprocessing.get_context("fork").Process(target=body)
    child.start()
    child.join(timeout=60)
    return child.exitcode


def test_killed_at_every_step(tree: ModuleType, results: Path, target: Path) -> None:
    """What stands there after kill -9 is the old set or the new one, and the next call leaves only the new one."""
    undrawn(results)
    assert publish(results, target) == 0
    old = contents(target / "quick")
    tree.make(results, sigmas=(1.0,), seeds=(0,), shift=0.1)
    undrawn(results)
    sources = {
        run: raw for run, _, raw in stored.stored(results, [row.run for row in plans.read(results / "plan.json").runs])
    }
    assert len(sources) == 1
    seen: list[str] = []
    call = 0
    while True:
        call += 1
        code = killed_at(call, results, target)
        now = contents(target / "quick")
        if now == old:
            seen.append("old")
        else:
            assert set(now) == set(old)
            assert {run: raw for run, _, raw in stored.stored(target / "quick")} == sources
            seen.append("new")
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert call > 12
    assert seen == sorted(seen, reverse=True), "once the new set is there it stays"
    assert set(seen) == {"old", "new"}
    assert [path.name for path in target.iterdir()] == ["quick"]


def test_a_place_that_cannot_be_written(results: Path, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "file").write_text("no folder")
    assert publish(results, tmp_path / "file") == 2
    assert re.fullmatch(r"wassdp publish: to = .*file': must lie in a folder, .*\n", capsys.readouterr().err)


def test_published_results_compare_equal_to_their_origin(results: Path, target: Path, capsys: Any) -> None:
    assert publish(results, target) == 0
    assert main(["compare", str(target / "quick"), str(results), "--curves"]) == 0
    assert "identical" in capsys.readouterr().out
