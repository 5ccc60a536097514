import base64
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from snakemake.persistence.file import FilePersistence

from wassdp.pipeline import start
from wassdp.pipeline.resume import Alive, marked_output

HOLD = """
import sys, time
from pathlib import Path
from wassdp.pipeline.resume import Alive
alive = Alive(Path(sys.argv[1])); alive.recover(); print("held", flush=True); time.sleep(60)
"""


def test_locks_of_a_killed_pipeline_go_and_those_of_a_living_one_stay(tmp_path):
    (tmp_path / "locks").mkdir()
    lock = tmp_path / "locks" / "0.input.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as pipeline:
        assert pipeline.stdout.readline() == "held\n"
        lock.write_text("results/runs.csv\n")
        Alive(tmp_path).recover()
        assert lock.exists()
        pipeline.kill()
    deadline = time.time() + 10
    while lock.exists() and time.time() < deadline:
        Alive(tmp_path).recover()
    assert not lock.exists()


def test_a_second_pipeline_is_told_of_the_first_and_starts_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    script = [sys.executable, "-c", HOLD, str(tmp_path / ".snakemake")]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as pipeline:
        assert pipeline.stdout.readline() == "held\n"
        with pytest.raises(SystemExit) as ended:
            start.begin({}, dry=False)
        pipeline.kill()
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == 1
    assert f"another pipeline (process {pipeline.pid}) is at work in {tmp_path}" in line
    assert not (tmp_path / "results").exists()


def test_a_results_folder_that_two_working_folders_share_has_one_pipeline(tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    first, second = (Alive(tmp_path / name / ".snakemake", results) for name in ("a", "b"))
    first.recover()
    left = mark(tmp_path / "b", "results/a.json")
    assert second.recover() == []
    assert (first.held, second.held) == (True, False)
    assert left.exists(), "what the other one works at stays"
    first._lock.release()
    first._shared.release()
    assert [str(path) for path in second.recover()] == ["results/a.json"]
    assert second.held


def test_a_configuration_takes_nothing_from_the_default_one(tmp_path, monkeypatch, capsys):
    """Snakemake merges them: runs of the one would stand in the set of the other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text("preset: quick\nexperiments: [1]\n")
    (tmp_path / "own.yaml").write_text("experiments: [2]\n")
    with pytest.raises(SystemExit) as ended:
        start.begin({"preset": "quick", "experiments": [2]}, dry=True, files=["own.yaml", "config.yaml"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said == "wassdp: own.yaml: lacks preset, and would get that of config.yaml; must have its own\n"
    for preset, files in (("mine", ["own.yaml", "config.yaml"]), ("quick", ["config.yaml"])):  # by --config, and alone
        with pytest.raises(SystemExit):
            start.begin({"preset": preset, "experiments": [2]}, dry=True, files=files)
        assert "lacks" not in capsys.readouterr().err


def test_a_key_that_stands_twice_stops_a_pipeline(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text("preset: a\npreset: b\n")
    with pytest.raises(SystemExit) as ended:
        start.begin({"preset": "b"}, dry=True, files=["config.yaml"])
    assert ended.value.code == 2
    assert "config.yaml: is not YAML at line 2, column 1: preset: stands there twice" in capsys.readouterr().err


def mark(folder, output, **record):
    """What Snakemake writes when a job begins."""
    path = folder / ".snakemake" / "incomplete" / base64.urlsafe_b64encode(output.encode()).decode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"external_jobid": None} | record))
    target = folder / output
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("{}")
    return path


def test_outputs_of_unfinished_jobs_go_and_outcomes_are_set_aside(tmp_path):
    marks = [mark(tmp_path, "results/figures/a.svg"), mark(tmp_path, "results/runs/0123456789ab/outcome.json")]
    removed = Alive(tmp_path / ".snakemake").recover()
    assert sorted(map(str, removed)) == ["results/figures/a.svg", "results/runs/0123456789ab/outcome.json"]
    assert not any(path.exists() for path in marks)
    assert [path.name for path in (tmp_path / "results").rglob("*") if path.is_file()] == [".finished.json"]


def test_jobs_of_a_scheduler_are_left_to_snakemake(tmp_path):
    path = mark(tmp_path, "results/a.json", external_jobid="17")
    assert Alive(tmp_path / ".snakemake").recover() == []
    assert path.exists()
    assert (tmp_path / "results" / "a.json").exists()


@pytest.mark.parametrize("length", [5, 250, 900])
def test_marks_are_read_as_snakemake_writes_them(tmp_path, length, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = "results/" + "x" * length
    records = FilePersistence.__new__(FilePersistence)
    records.__dict__.update(_max_len=None)
    path = Path(records._record_path(str(tmp_path), output))
    assert str(marked_output(path.relative_to(tmp_path))) == output
