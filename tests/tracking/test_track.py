from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wassdp.cli import main
from wassdp.pipeline import plan as plans
from wassdp.result import save
from wassdp.tracking import store as stores
from wassdp.tracking.track import Folder, follow, track


def rebuilt(tools: Any, folder: Path, uri: str) -> Any:
    """What the store holds after it was deleted and made again, from an empty database."""
    (folder / "mlflow.db").unlink()
    shutil.rmtree(folder / "mlflow-artifacts", ignore_errors=True)
    assert tools.track(folder) == 0
    return tools.read_back(uri)


def test_every_run_once_with_everything(tree: ModuleType, results: Path, tools: Any, capsys: Any) -> None:
    plan = tree.make(results)
    summary = results / "tracked.json"
    assert tools.track(results, "--summary", str(summary)) == 0
    assert "4 finished runs (4 added), figures of 1 experiment" in capsys.readouterr().out
    uri = tools.uri(results)
    first, ids, text = tools.read_back(uri), tools.identifiers(uri), summary.read_text()
    assert {run: len(entries) for run, entries in first.items()} == dict.fromkeys(
        [*(row.run for row in plan.runs), tools.FIGURES], 1
    )
    entry = first[plan.runs[0].run][0]
    assert entry["info"][:2] == ("noise.sigma=1.0, seed 0", "FINISHED")
    assert set(entry["artifacts"]) == {"result.json", "history.csv"}
    assert [step for step, _, _ in entry["metrics"]["accuracy/test"]] == [1, 2, 3]
    # Figures and tables once, in a run that is newer than all others.
    figures = first[tools.FIGURES][0]
    names = ("figure-2.png", "figure-2.svg", "table-1.csv", "table-1.md")
    assert set(figures["artifacts"]) == {f"figures/{name}" for name in names}
    assert figures["info"][2] >= max(held[0]["info"][2] for run, held in first.items() if run != tools.FIGURES)
    assert entry["latest"]["epsilon/upper/pld"] == 3**0.5
    assert {*json.loads(text)["runs"], tools.FIGURES} == set(first)
    assert set(json.loads(text)["experiments"]) == {"training"}

    before = {path: path.stat().st_mtime_ns for path in results.rglob("*") if path.is_file() and "mlflow" in str(path)}
    assert tools.track(results, "--summary", str(summary)) == 0
    assert "4 finished runs (4 unchanged)" in capsys.readouterr().out
    assert tools.identifiers(uri) == ids
    assert summary.read_text() == text
    after = {path: path.stat().st_mtime_ns for path in before}
    untouched = {path for path in before if before[path] == after[path]}
    assert {path for path in before if "artifacts" in str(path)} <= untouched

    assert rebuilt(tools, results, uri) == first


def test_a_changed_result_replaces_the_run(tree: ModuleType, results: Path, tools: Any, capsys: Any) -> None:
    plan = tree.make(results)
    uri = tools.uri(results)
    assert tools.track(results) == 0
    ids = tools.identifiers(uri)
    changed = plan.runs[0]
    tree.finish(results, changed, shift=0.01, code="f" * 16)
    capsys.readouterr()
    assert tools.track(results) == 0
    assert "1 replaced, 3 unchanged" in capsys.readouterr().out
    now = tools.identifiers(uri)
    assert all(len(found) == 1 for found in now.values())
    assert {run for run in now if now[run] != ids[run]} == {changed.run}
    held = tools.read_back(uri)
    assert held[changed.run][0]["tags"]["code"] == "f" * 16
    assert rebuilt(tools, results, uri) == held


def test_a_result_that_only_gains_something_keeps_its_run(tree: ModuleType, results: Path, tools: Any) -> None:
    row = tree.make(results, sigmas=(1.0,), seeds=(0,)).runs[0]
    uri, path = tools.uri(results), results / "runs" / row.run / "result.json"
    assert tools.track(results) == 0
    ids = tools.identifiers(uri)
    value = tree.result(row)
    more = (*(item for item in value.guarantees if item.bounded), tree.guarantee("upper", "rdp", 9.0))
    save(path, value.model_copy(update={"guarantees": more}))
    assert tools.track(results) == 0
    assert tools.identifiers(uri) == ids
    held = tools.read_back(uri)
    assert held[row.run][0]["latest"]["epsilon/upper/rdp"] == 9.0
    assert "epsilon/upper/hopeless" not in held[row.run][0]["tags"]
    assert rebuilt(tools, results, uri) == held


def test_new_figures_are_taken_over_and_old_ones_go(tree: ModuleType, results: Path, tools: Any) -> None:
    tree.make(results)
    uri = tools.uri(results)
    assert tools.track(results) == 0
    ids = tools.identifiers(uri)
    tree.draw(results, content="<svg>new</svg>")
    (results / "figures" / "wasserstein-dp" / "figure-2.png").unlink()
    assert tools.track(results) == 0
    assert tools.identifiers(uri) == ids
    held = tools.read_back(uri)
    assert {name for name in held[tools.FIGURES][0]["artifacts"] if "figure-2" in name} == {"figures/figure-2.svg"}
    assert rebuilt(tools, results, uri) == held


def test_a_run_deleted_by_a_user_comes_back(tree: ModuleType, results: Path, tools: Any) -> None:
    from mlflow.tracking import MlflowClient

    plan = tree.make(results)
    uri = tools.uri(results)
    assert tools.track(results) == 0
    held, ids = tools.read_back(uri), tools.identifiers(uri)
    client = MlflowClient(uri)
    client.delete_run(ids[plan.runs[0].run][0])
    assert tools.track(results) == 0
    assert tools.read_back(uri) == held
    client.delete_experiment(client.get_experiment_by_name("wassdp/wasserstein-dp/training").experiment_id)
    assert tools.track(results) == 0
    assert tools.read_back(uri) == held


def test_unfinished_runs_wait(tree: ModuleType, results: Path, tools: Any, capsys: Any) -> None:
    plan = tree.make(results, finished=False)
    tree.finish(results, plan.runs[0])
    assert tools.track(results) == 0
    assert "1 finished runs (1 added); 3 not finished yet" in capsys.readouterr().out
    assert set(tools.read_back(tools.uri(results))) == {plan.runs[0].run}


def test_no_summary_is_written_while_a_run_is_unfinished(
    tree: ModuleType, results: Path, tools: Any, capsys: Any
) -> None:
    plan = tree.make(results, finished=False)
    summary = results / "tracked.json"
    tree.finish(results, plan.runs[0])
    assert tools.track(results, "--summary", str(summary)) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert all(row.run in line for row in plan.runs[1:])
    assert not summary.exists()
    assert set(tools.read_back(tools.uri(results))) == {plan.runs[0].run}, "what is finished is tracked all the same"
    for row in plan.runs[1:]:
        tree.finish(results, row)
    assert tools.track(results, "--summary", str(summary)) == 0
    assert json.loads(summary.read_text())["unfinished"] == []


def change(folder: Path, **changes: Any) -> None:
    """Another plan for the same folder: ``changes`` of its one experiment, and only the runs of seed 0."""
    plan = plans.read(folder / "plan.json")
    item = plan.experiments[0].model_copy(update=changes)
    rows = tuple(row.model_copy(update={"experiment": item.name}) for row in plan.runs if row.seed == 0)
    plans.write(folder / "plan.json", plan.model_copy(update={"experiments": (item,), "runs": rows}))


def held(uri: str) -> dict[str, int]:
    """Experiment to how many finished runs it says it holds, which are as many as are there."""
    client = stores._client(uri)
    told = {}
    for experiment in client.search_experiments(filter_string="name LIKE 'wassdp/%'"):
        there = [
            run for run in client.search_runs([experiment.experiment_id]) if stores.FIGURES_TAG not in run.data.tags
        ]
        told[experiment.name.rpartition("/")[2]] = int(experiment.tags[stores.RUNS_TAG])
        assert told[experiment.name.rpartition("/")[2]] == len(there)
    return told


def test_experiments_say_how_many_runs_they_hold_after_the_plan_changed(
    tree: ModuleType, results: Path, tools: Any
) -> None:
    tree.make(results)
    uri = tools.uri(results)
    assert tools.track(results) == 0
    assert held(uri) == {"training": 4}
    change(results)
    assert tools.track(results) == 0
    assert held(uri) == {"training": 4}, "runs of a seed that is not asked for any more stay"
    change(results, name="renamed")
    assert tools.track(results) == 0
    assert held(uri) == {"training": 2, "renamed": 2}
    ids = tools.identifiers(uri)
    assert tools.track(results) == 0
    assert (held(uri), tools.identifiers(uri)) == ({"training": 2, "renamed": 2}, ids)


def test_figures_that_are_not_asked_for_any_more_go(tree: ModuleType, results: Path, tools: Any) -> None:
    tree.make(results)
    uri = tools.uri(results)
    assert tools.track(results) == 0
    change(results, figures=())
    assert tools.track(results) == 0
    (entry,) = tools.read_back(uri)[tools.FIGURES]
    assert set(entry["artifacts"]) == {"figures/table-1.csv", "figures/table-1.md"}
    change(results, figures=(), tables=())
    assert tools.track(results) == 0
    assert tools.FIGURES not in tools.read_back(uri)


def test_what_counts_as_finished(tree: ModuleType, tmp_path: Path) -> None:
    plan = tree.make(tmp_path)
    row = plan.runs[0]
    place = tmp_path / "runs" / row.run
    folder = Folder(tmp_path, plan)

    def touch(name: str, seconds: float) -> None:
        os.utime(place / name, (seconds, seconds))

    touch("run.log", 1e9), touch("outcome.json", 1e9 + 1), touch("result.json", 1e9 + 2)
    assert folder.is_finished(row.run)
    touch("outcome.json", 1e9 + 3)  # copied folders have any times: the provenance decides
    assert folder.is_finished(row.run)
    (place / "outcome.json").write_text(json.dumps({"provenance": {"code": "new"}}))
    touch("outcome.json", 1e9 + 3)
    assert not folder.is_finished(row.run)  # its budgets are still to be accounted
    (place / "outcome.json").unlink()
    touch("run.log", 1e9 + 3)
    assert not folder.is_finished(row.run)  # it is being computed again
    (place / "run.log").unlink()
    assert folder.is_finished(row.run)  # a published folder
    touch("result.json", 1e9 + 2), (place / "run.log").touch()
    digest = hashlib.sha256((place / "result.json").read_bytes()).hexdigest()
    (tmp_path / "restored.json").write_text(json.dumps({"parts": [{"results": {row.run: digest}}]}))
    assert not folder.is_finished(row.run)
    folder = Folder(tmp_path, plan)
    assert folder.is_finished(row.run)  # put back, copied in any order
    (place / "result.json").unlink()
    assert not folder.is_finished(row.run)


def test_an_edited_result_without_its_digest_is_tracked_only_where_the_folder_vouches_for_it(
    tree: ModuleType, tmp_path: Path
) -> None:
    plan = tree.make(tmp_path, sigmas=(1.0,), seeds=(0,))
    row = plan.runs[0]
    place = tmp_path / "runs" / row.run
    value = json.loads((place / "result.json").read_text())
    del value["digest"]
    value["guarantees"][0]["epsilon"] /= 10
    raw = json.dumps(value).encode()
    (place / "result.json").write_bytes(raw)
    with pytest.raises(ValueError, match=r"result\.json: has no digest; nothing tells whether its figures are"):
        Folder(tmp_path, plan).finished(row.run)
    # What was published before there were digests, and put back, stands in the folder's own record.
    (place / "outcome.json").unlink()
    record = {"parts": [{"results": {row.run: hashlib.sha256(raw).hexdigest()}}]}
    (tmp_path / "restored.json").write_text(json.dumps(record))
    assert Folder(tmp_path, plan).finished(row.run).tags["digest"].startswith("none")
    (place / "result.json").write_bytes(raw + b"\n")
    with pytest.raises(ValueError, match=r"result\.json: has no digest"):
        Folder(tmp_path, plan).finished(row.run)
    (tmp_path / "restored.json").rename(tmp_path / "provenance.json")
    (place / "result.json").write_bytes(raw)
    assert Folder(tmp_path, plan).finished(row.run).tags["digest"].startswith("none")


WRITES = ("create_experiment", "create_run", "update_run", "log_batch", "log_artifact", "log_artifacts")
WRITES += ("set_tag", "delete_tag", "set_terminated", "delete_run")


def dies_before_write(number: int, folder: Path, tools: Any) -> int | None:
    """Exit code of a tracker that is killed just before its ``number``-th write to the store."""

    def work() -> int:
        from mlflow.tracking import MlflowClient

        left = [number]

        def wrapped(name: str) -> Any:
            original = getattr(MlflowClient, name)

            def call(*arguments: Any, **named: Any) -> Any:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return original(*arguments, **named)

            return call

        for name in WRITES:
            setattr(MlflowClient, name, wrapped(name))
        return int(tools.track(folder))

    return tools.in_child(work)


@pytest.mark.parametrize("replacing", [False, True], ids=["fresh", "replacing"])
def test_killed_at_every_write(
    tree: ModuleType, results: Path, tmp_path: Path, empty_database: Path, tools: Any, replacing: bool
) -> None:
    """kill -9 before each single write to the store, then the same command: nothing is missing, nothing there twice."""
    plan = tree.make(results, sigmas=(1.0,), seeds=(0,))
    uri = tools.uri(results)
    # This process never opens the database itself: its connections would outlive the file.
    if replacing:
        assert tools.in_child(lambda: int(tools.track(results))) == 0
        tree.finish(results, plan.runs[0], shift=0.01)
        tree.draw(results, content="<svg>new</svg>")
    start = tmp_path / "start"
    shutil.copytree(results, start)
    assert tools.in_child(lambda: int(tools.track(results))) == 0
    shutil.copy(results / "mlflow.db", tmp_path / "copy.db")
    expected = tools.read_back(f"sqlite:///{tmp_path}/copy.db")
    number = 0
    while True:
        number += 1
        for name in ("mlflow.db", "mlflow-artifacts"):
            target = results / name
            shutil.rmtree(target) if target.is_dir() else target.unlink()
            if (start / name).is_dir():
                shutil.copytree(start / name, target)
            elif (start / name).exists():
                shutil.copy(start / name, target)
        code = dies_before_write(number, results, tools)
        assert tools.in_child(lambda: int(tools.track(results))) == 0
        assert tools.in_child(lambda: int(tools.read_back(uri) != expected), silent=False) == 0, f"write {number}"
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert number > (10 if replacing else 8)


def test_killed_while_the_database_is_made(tree: ModuleType, tmp_path: Path, tools: Any) -> None:
    plan = tree.make(tmp_path, sigmas=(1.0,), seeds=(0,))

    def work() -> int:
        return int(tools.track(tmp_path))

    for size in (1, 200_000):
        child = multiprocessing.get_context("fork").Process(target=lambda: os._exit(work()))
        child.start()
        while not any(draft.stat().st_size >= size for draft in tmp_path.glob(".mlflow.db.*.new")):
            assert child.is_alive()
            time.sleep(0.001)
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()
        assert not (tmp_path / "mlflow.db").exists()
    assert work() == 0
    assert set(tools.read_back(tools.uri(tmp_path))) == {plan.runs[0].run, tools.FIGURES}
    assert not list(tmp_path.glob(".mlflow.db*"))


@pytest.mark.slow
def test_eight_trackers_on_a_fresh_store(tree: ModuleType, tmp_path: Path, tools: Any) -> None:
    plan = tree.make(tmp_path, sigmas=(1.0, 2.0, 4.0))
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=lambda: os._exit(tools.track(tmp_path))) for _ in range(8)]
    for child in children:
        child.start()
    for child in children:
        child.join(timeout=300)
    assert [child.exitcode for child in children] == [0] * 8
    uri = tools.uri(tmp_path)
    held = tools.read_back(uri)
    assert {run: len(entries) for run, entries in held.items()} == dict.fromkeys(
        [*(row.run for row in plan.runs), tools.FIGURES], 1
    )
    shutil.rmtree(tmp_path / "mlflow-artifacts")
    (tmp_path / "mlflow.db").unlink()
    assert tools.track(tmp_path) == 0
    assert tools.read_back(uri) == held


def test_following_a_run_through_a_kill_to_its_end(tree: ModuleType, results: Path, tools: Any) -> None:
    plan = tree.make(results, sigmas=(1.0,), seeds=(0,), finished=False)
    row, uri = plan.runs[0], tools.uri(results)
    value = tree.result(row, epochs=6)
    place = results / "runs" / row.run
    place.mkdir(parents=True)
    lines = tree.history_lines(value, until=6).splitlines(keepends=True)
    seen: list[Any] = []
    stages = [
        lambda: (place / "history.jsonl").write_text("".join(lines[:2])),
        # cut short by a kill, then resumed from the checkpoint of epoch 2
        lambda: (place / "history.jsonl").write_text("".join(lines[:4]) + '{"time": 17'),
        lambda: (place / "history.jsonl").write_text("".join(lines[:4]) + '{"time": 17\n' + "".join(lines[2:5])),
        lambda: None,
        lambda: tree.finish(results, row, epochs=6),
    ]

    def wait(seconds: float) -> None:
        held, ids = tools.read_back(uri), tools.identifiers(uri)
        seen.append((held[row.run][0]["info"][1], held[row.run][0]["metrics"], ids[row.run]) if held else None)
        stages.pop(0)()

    said: list[str] = []
    report = follow(Folder(results, plan), stores.connect(uri, results), interval=1.0, say=said.append, wait=wait)
    assert report.unfinished == []
    assert seen[0] is None
    assert [entry[0] for entry in seen[1:]] == ["RUNNING"] * 4
    assert [[step for step, _, _ in entry[1]["accuracy/test"]] for entry in seen[1:]] == [
        [1, 2],
        [1, 2, 3, 4],
        [1, 2, 3, 4, 5],
        [1, 2, 3, 4, 5],
    ]
    held = tools.read_back(uri)
    assert held[row.run][0]["info"][1] == "FINISHED"
    assert tools.identifiers(uri)[row.run] == seen[1][2], "the page that a user has open stays the run's page"
    assert sum("live curves" in line for line in said) == 3
    assert rebuilt(tools, results, uri) == held


def test_a_run_that_starts_over_with_other_values(tree: ModuleType, results: Path, tools: Any) -> None:
    plan = tree.make(results, sigmas=(1.0,), seeds=(0,), finished=False)
    row, uri = plan.runs[0], tools.uri(results)
    place = results / "runs" / row.run
    place.mkdir(parents=True)
    first = tree.history_lines(tree.result(row, epochs=6, shift=-0.1), until=3)
    again = tree.history_lines(tree.result(row, epochs=6), until=2, start=tree.STARTED_SECONDS + 60)
    stages = [
        lambda: (place / "history.jsonl").write_text(first),
        lambda: (place / "history.jsonl").write_text(first + again),
        lambda: tree.finish(results, row, epochs=6),
    ]
    seen: list[Any] = []

    def wait(seconds: float) -> None:
        seen.append(tools.read_back(uri))
        stages.pop(0)()

    follow(Folder(results, plan), stores.connect(uri, results), interval=1.0, say=lambda line: None, wait=wait)
    assert [len(held.get(row.run, [])) for held in seen] == [0, 1, 1]
    assert len(seen[2][row.run][0]["metrics"]["accuracy/test"]) == 2
    held = tools.read_back(uri)
    assert len(held[row.run]) == 1
    assert rebuilt(tools, results, uri) == held


def test_a_finished_run_gives_way_only_to_a_new_attempt(tree: ModuleType, results: Path, tools: Any) -> None:
    """While an old result is accounted again MLflow keeps it; once the run is computed anew it shows the new curve."""
    plan = tree.make(results, sigmas=(1.0,), seeds=(0,))
    row, uri = plan.runs[0], tools.uri(results)
    place = results / "runs" / row.run
    old = tree.history_lines(tree.result(row), until=3)
    (place / "history.jsonl").write_text(old)
    assert tools.track(results) == 0
    before = tools.read_back(uri)
    (place / "result.json").unlink()
    stages = [
        lambda: (place / "history.jsonl").write_text(
            old + tree.history_lines(tree.result(row, shift=0.05), until=1, start=tree.STARTED_SECONDS + 99)
        ),
        lambda: tree.finish(results, row, shift=0.05),
    ]
    seen: list[Any] = []

    def wait(seconds: float) -> None:
        seen.append(tools.read_back(uri))
        stages.pop(0)()

    follow(Folder(results, plan), stores.connect(uri, results), interval=1.0, say=lambda line: None, wait=wait)
    assert seen[0] == before
    assert seen[1][row.run][0]["info"][1] == "RUNNING"
    assert rebuilt(tools, results, uri) == tools.read_back(uri)


def test_following_waits_for_a_store_that_went_away(
    tree: ModuleType, results: Path, tools: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tree.make(results)
    store = stores.connect(tools.uri(results), results)
    gone = [stores.TrackingError("gone"), stores.TrackingError("gone"), None]
    real = store.snapshot

    def snapshot() -> Any:
        error = gone.pop(0)
        if error is not None:
            raise error
        return real()

    monkeypatch.setattr(store, "snapshot", snapshot)
    said: list[str] = []
    waits: list[float] = []
    report = follow(Folder(results, plan), store, interval=2.0, say=said.append, wait=waits.append)
    assert len(report.digests) == 4
    assert waits == [2.0, 2.0]
    assert said[0] == "gone; trying again every 2 s"
    assert len(said) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_follow_stops_cleanly_when_told_to(tree: ModuleType, results: Path, tools: Any, number: int) -> None:
    tree.make(results, finished=False)
    reader, writer = os.pipe()

    def body() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(writer, 1)
        sys.stdout = os.fdopen(1, "w")
        code = tools.track(results, "--follow", "--interval", "60")
        sys.stdout.flush()
        os._exit(code)

    child = multiprocessing.get_context("fork").Process(target=body)
    child.start()
    os.close(writer)
    while not (results / "mlflow.db.lock").exists():
        assert child.is_alive()
        time.sleep(0.01)
    time.sleep(1.0)
    os.kill(child.pid or 0, number)
    child.join(timeout=120)
    with os.fdopen(reader) as stream:
        assert stream.read() == "stopped; the next call catches up\n"
    assert child.exitcode == 0


def untouched(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and "mlflow" not in str(path)}


def test_an_unreachable_server_loses_nothing(tree: ModuleType, results: Path, tools: Any, capsys: Any) -> None:
    tree.make(results)
    before = untouched(results)
    begin = time.perf_counter()
    summary = results / "tracked.json"
    uri = "http://someone:secret@127.0.0.1:9"
    assert tools.track(results, "--uri", uri, "--summary", str(summary)) == 1
    # MLflow's own retries, with pauses that double, would go on for about four minutes.
    assert time.perf_counter() - begin < 60
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "Connection refused" in said.err
    assert "the result files are untouched" in said.err
    assert "secret" not in said.err
    assert untouched(results) == before
    assert not summary.exists()
    assert tools.track(results) == 0
    assert len([name for name in tools.read_back(tools.uri(results)) if not name.startswith("figures/")]) == 4


def test_the_environment_names_the_store(
    tree: ModuleType, results: Path, tools: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    tree.make(results)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    assert tools.track(results) == 1
    assert tools.track(results, "--uri", tools.uri(results)) == 0


@pytest.mark.parametrize(
    "uri", ["mlruns", "file:///tmp/x", "sqlite://", "sqlite:///:memory:", "sqlite:///a?b", "ftp://a"]
)
def test_addresses_that_cannot_hold_runs(tree: ModuleType, results: Path, tools: Any, uri: str, capsys: Any) -> None:
    tree.make(results)
    assert tools.track(results, "--uri", uri) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"uri = '{uri}'" in said


def test_places_that_cannot_be_written(tree: ModuleType, results: Path, tools: Any, capsys: Any) -> None:
    tree.make(results)
    before = untouched(results)
    (results / "a-file").write_text("not a folder\n")
    assert tools.track(results, "--uri", f"sqlite:///{results}/a-file/mlflow.db") == 1
    (results / "text.db").write_text("no database\n" * 100)
    assert tools.track(results, "--uri", f"sqlite:///{results}/text.db") == 1
    assert tools.track(results, "--summary", str(results / "a-file" / "tracked.json")) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 3
    assert "file is not a database" in said
    assert untouched(results).items() >= before.items()


@pytest.mark.parametrize("uri", ["sqlite:////proc/x.db", "postgresql+none://a:secret@127.0.0.1/b", "mssql://a/b"])
def test_a_store_that_cannot_be_opened_is_one_line_at_once(
    tree: ModuleType, results: Path, tools: Any, uri: str, capsys: Any
) -> None:
    tree.make(results)
    begin = time.monotonic()
    assert tools.track(results, "--uri", uri) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "the result files are untouched" in line
    assert "secret" not in line
    assert time.monotonic() - begin < 120, "a wait for a lock that nobody can hold takes 600 s"


def test_a_full_disk_is_told_and_caught_up_with(tree: ModuleType, results: Path, tools: Any, capfd: Any) -> None:
    tree.make(results)
    before = untouched(results)

    def work() -> int:
        size = (results / "mlflow.db").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return int(tools.track(results))

    assert tools.in_child(work, silent=False) == 1
    said = capfd.readouterr().err
    assert said.count("\n") == 1, said
    assert "tracking store" in said
    assert untouched(results) == before
    assert tools.track(results) == 0
    uri = tools.uri(results)
    assert rebuilt(tools, results, uri) == tools.read_back(uri)


def test_a_moved_results_folder_is_named(tree: ModuleType, results: Path, tools: Any, capsys: Any) -> None:
    tree.make(results)
    assert tools.track(results) == 0
    moved = results.with_name("moved")
    results.rename(moved)
    tree.finish(moved, plans.read(moved / "plan.json").runs[0], shift=0.1)
    assert tools.track(moved) == 1
    assert "delete the database" in capsys.readouterr().err
    assert not results.exists()
    (moved / "mlflow.db").unlink()
    assert tools.track(moved) == 0


def test_a_damaged_database_is_named_and_made_anew_once_it_is_deleted(
    tree: ModuleType, results: Path, tools: Any, capsys: Any
) -> None:
    tree.make(results)
    assert tools.track(results) == 0
    expected, whole = tools.read_back(tools.uri(results)), (results / "mlflow.db").read_bytes()
    for damaged in (b"no database " * 1000, whole[: len(whole) // 2]):
        capsys.readouterr()
        (results / "mlflow.db").write_bytes(damaged)
        assert tools.track(results) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert "mlflow.db: " in line
        assert line.endswith("the result files are untouched, delete it and call again, and it is made anew")
    assert rebuilt(tools, results, tools.uri(results)) == expected


def test_only_what_the_results_make_again_is_left_to_the_system_to_write(results: Path) -> None:
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    other = results / "other.db"
    shutil.copy(results / "mlflow.db", other)
    found = []
    for uri in (stores.default_uri(results), f"sqlite:///{other}", stores.default_uri(results)):
        stores.connect(uri, results)
        with contextlib.closing(SqlAlchemyStore._get_or_create_engine(uri).raw_connection()) as connection:
            found += connection.cursor().execute("PRAGMA synchronous").fetchone()
    off, full = 0, 2
    assert found == [off, full, off]


def test_a_broken_result_is_named(tree: ModuleType, results: Path, tools: Any, capsys: Any) -> None:
    plan = tree.make(results)
    path = results / "runs" / plan.runs[0].run / "result.json"
    path.write_text(path.read_text().replace('"delta"', '"detla"'))
    assert tools.track(results) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(path) in said


@pytest.mark.parametrize("content", ["{", "{}", "[]", ""])
def test_a_broken_plan_is_named(results: Path, tools: Any, capsys: Any, content: str) -> None:
    (results / "plan.json").write_text(content)
    assert tools.track(results) == 2
    assert "plan" in capsys.readouterr().err


def test_no_plan_yet(results: Path, tools: Any, capsys: Any) -> None:
    assert tools.track(results) == 2
    assert "plan.json" in capsys.readouterr().err


@pytest.mark.slow
def test_a_real_server(tree: ModuleType, tmp_path: Path, tools: Any, capsys: Any) -> None:
    """The same content through HTTP as in a local database, artifacts through the server; twice, then a change."""
    folder = tmp_path / "results"
    plan = tree.make(folder)
    with tools.served(tmp_path) as uri:
        secret = uri.replace("//", "//someone:geheim@")
        # As the workflow does it: all that is said goes into the results folder. MLflow would name the whole address.
        with (folder / "track.log").open("w") as log:
            subprocess.run(
                [sys.executable, "-m", "wassdp", "track", "--results", str(folder), "--uri", secret],
                stdout=log,
                stderr=log,
                check=True,
            )
        assert "4 added" in (folder / "track.log").read_text()
        assert not [path for path in folder.rglob("*") if path.is_file() and b"geheim" in path.read_bytes()]
        over_http = tools.read_back(uri)
        assert tools.track(folder, "--uri", uri) == 0
        assert "4 unchanged" in capsys.readouterr().out
        assert not (folder / "mlflow.db").exists()
        assert tools.track(folder) == 0
        assert tools.read_back(tools.uri(folder)) == over_http
        tree.finish(folder, plan.runs[0], shift=0.01)
        tree.draw(folder, content="<svg>new</svg>")
        (folder / "figures" / "wasserstein-dp" / "figure-2.png").unlink()
        assert tools.track(folder, "--uri", uri) == 0
        assert tools.track(folder) == 0
        assert tools.read_back(tools.uri(folder)) == tools.read_back(uri) != over_http


@pytest.mark.slow
def test_a_server_with_authentication(tree: ModuleType, tmp_path: Path, tools: Any, capsys: Any) -> None:
    """Name and password in the address or in the environment; without them one line, and nothing is lost."""
    pytest.importorskip("flask_wtf", reason="needs Flask-WTF, of the extra dev")
    folder = tmp_path / "results"
    tree.make(folder, sigmas=(1.0,), seeds=(0,))
    (tmp_path / "auth.ini").write_text(
        f"[mlflow]\ndefault_permission = READ\ndatabase_uri = sqlite:///{tmp_path}/auth.db\n"
        "admin_username = someone\nadmin_password = very-geheim-indeed\n"
        "authorization_function = mlflow.server.auth:authenticate_request_basic_auth\n"
    )
    login = {"MLFLOW_AUTH_CONFIG_PATH": str(tmp_path / "auth.ini"), "MLFLOW_FLASK_SERVER_SECRET_KEY": "a test's"}
    with tools.served(tmp_path, "--app-name", "basic-auth", **login) as uri:
        for wrong in (uri, uri.replace("//", "//someone:wrong@")):
            assert tools.track(folder, "--uri", wrong) == 1
            said = capsys.readouterr().err
            assert said.count("\n") == 1, said
            assert "wrong" not in said
            assert re.search("401|authenticated", said), said
        right = uri.replace("//", "//someone:very-geheim-indeed@")
        assert tools.track(folder, "--uri", right) == 0
        assert "1 added" in capsys.readouterr().out
        assert tools.track(folder, "--uri", right) == 0
        assert "1 unchanged" in capsys.readouterr().out
        assert tools.in_child(lambda: _with_login(folder, uri, tools)) == 0
    assert not [path for path in folder.rglob("*") if path.is_file() and b"geheim" in path.read_bytes()]


def _with_login(folder: Path, uri: str, tools: Any) -> int:
    os.environ.update(MLFLOW_TRACKING_USERNAME="someone", MLFLOW_TRACKING_PASSWORD="very-geheim-indeed")
    return int(tools.track(folder, "--uri", uri))


def test_the_browser_needs_a_database_and_a_port(tree: ModuleType, results: Path, tmp_path: Path, capsys: Any) -> None:
    assert main(["ui", "--results", str(tmp_path)]) == 1
    assert "`wassdp track` makes it" in capsys.readouterr().err
    assert main(["ui", "--results", str(results), "--port", "0"]) == 2
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        assert main(["ui", "--results", str(results), "--port", str(listener.getsockname()[1])]) == 1
    assert "is in use" in capsys.readouterr().err


def test_a_published_folder_can_be_tracked(tree: ModuleType, tmp_path: Path, results: Path, tools: Any) -> None:
    """Without logs, outcomes and histories: only the times of the points differ."""
    plan = tree.make(tmp_path / "published")
    for name in ("outcome.json", "run.log"):
        for path in (tmp_path / "published").rglob(name):
            path.unlink()
    store = stores.connect(tools.uri(results), results)
    assert track(Folder(tmp_path / "published", plan), store).changes == {"added": 4}


def test_packed_results_are_tracked_as_files_are(tree: ModuleType, tmp_path: Path, results: Path, tools: Any) -> None:
    plan = tree.make(tmp_path / "plain")
    assert all(main([verb, "--results", str(tmp_path / "plain")]) == 0 for verb in ("collect", "ledger"))
    assert main(["publish", "--results", str(tmp_path / "plain"), "--to", str(tmp_path / "docs")]) == 0
    assert not (tmp_path / "docs" / "quick" / "runs").exists()
    store = stores.connect(tools.uri(results), results)
    assert track(Folder(tmp_path / "docs" / "quick", plan), store).changes == {"added": 4}
    for path in (tmp_path / "plain").rglob("*"):
        if path.name in ("outcome.json", "run.log"):
            path.unlink()
    assert track(Folder(tmp_path / "plain", plan), store).changes == {"unchanged": 4}
