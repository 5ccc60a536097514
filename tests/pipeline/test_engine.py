"""The workflow's start on one machine: what its screen keeps, and what a configuration cannot do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from wassdp.cli import main
from wassdp.pipeline import engine

ROOT = Path(__file__).parents[2]
TEMPLATE = """\
__use_yte__: true
__definitions__:
  - import pathlib
  - pathlib.Path("owned").write_text("by a configuration")
preset: any
experiments: []
"""


def test_its_settings_are_those_of_the_profile_of_one_machine() -> None:
    profile = yaml.safe_load((ROOT / "workflow" / "profiles" / "local" / "config.yaml").read_text())
    words: list[str] = []
    for key, value in profile.items():
        words.append(f"--{key}")
        words += value if isinstance(value, list) else [] if value is True else [str(value)]
    assert tuple(words) == engine.QUIETLY


@pytest.mark.workflow
def test_a_template_runs_no_python(tmp_path: Path) -> None:
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    words = ["--config", "template.yaml", "--snakefile", str(ROOT / "Snakefile"), "--cores", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "wassdp", "pipeline", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "template.yaml" in done.stderr
    assert "whose Python is not run here" in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["template.yaml"]
    # The engine by itself would have: with nothing to keep from it, the refusal above proves nothing.
    direct = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "1"]
    subprocess.run([*direct, "--configfile", "template.yaml", "--dry-run"], cwd=tmp_path, capture_output=True)
    assert (tmp_path / "owned").exists()


@pytest.mark.parametrize("text", ["", "some words", "[1, 2]", "preset: mine"])
def test_a_configuration_that_plan_refuses_is_refused_in_the_same_words(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    said = []
    for words in (["plan"], ["pipeline", "--snakefile", str(ROOT / "Snakefile")]):
        assert main([*words, "--config", str(path)]) == 2
        said.append(capsys.readouterr().err.removeprefix(f"wassdp {words[0]}: "))
    assert said[0].startswith(f"{path}: ")
    assert said[0] == said[1]
    assert said[0].count("\n") == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--snakefile", "nowhere"], "snakefile = 'nowhere': must be the workflow's Snakefile"),
        (["--cores", "0"], "cores = '0': must be a whole number above 0, or all"),
        (["--cores", "two"], "cores = 'two': must be a whole number above 0, or all"),
        (["--config", "nowhere.yaml"], "config = 'nowhere.yaml': no such file; must be a YAML file"),
        (["--dry-run"], "unrecognized arguments: --dry-run"),
    ],
)
def test_bad_words_are_one_line(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    place = [] if "--snakefile" in words else ["--snakefile", str(ROOT / "Snakefile")]
    try:
        code = main(["pipeline", *place, *words])
    except SystemExit as stopped:
        code = int(str(stopped.code))
    assert code == 2
    said = capsys.readouterr().err
    assert reason in said
    assert said.count("\n") == 1


def test_words_after_two_dashes_are_the_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda _, words: begun.append(words) or sys.exit(0))
    for words in ([], ["--"], ["--", "--dry-run", "results/ledger.csv"]):
        with pytest.raises(SystemExit):
            main(["pipeline", "--config", str(ROOT / "config.yaml"), "--snakefile", str(ROOT / "Snakefile"), *words])
        assert begun[-1][-len(engine.QUIETLY) - len(words[1:]) :] == [*engine.QUIETLY, *words[1:]]


LONG = """
import os, pathlib, signal, sys, time
def end(number, frame):
    pathlib.Path("ended").touch()
    sys.exit(3)
signal.signal(signal.SIGTERM, end)
pathlib.Path("begun").touch()
time.sleep(60)
"""


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_what_asks_its_caller_to_end_asks_the_workflow(tmp_path: Path, asked: signal.Signals) -> None:
    caller = f"""
import os, signal, sys
from wassdp.pipeline import engine
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that put the tests behind has it ignored
sys.exit(engine.run([{sys.executable!r}, "-c", {LONG!r}], os.environ))
"""
    process = subprocess.Popen([sys.executable, "-c", caller], cwd=tmp_path)
    until = time.monotonic() + 60
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    os.kill(process.pid, asked)
    assert process.wait(30) == 3
    assert (tmp_path / "ended").exists()
