"""What a pipeline says of itself, from records of the shape that Snakemake logs, and the estimates behind it."""

from __future__ import annotations

import enum
import io
import logging
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wassdp.cli import main
from wassdp.pipeline import durations
from wassdp.pipeline.progress import Progress, quieten
from wassdp.result import load_result, save

RUNS = ("0123456789ab", "123456789abc")


class Event(enum.Enum):
    RUN_INFO = 1
    JOB_INFO = 2
    JOB_FINISHED = 3
    PROGRESS = 4


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A pipeline of two trainings of 60 s, two accounts of 20 s and ten figures of 4 s on two processors: 100 s."""
    monkeypatch.chdir(tmp_path)
    jobs = {run: {"phase": "train", "seconds": 60.0} for run in RUNS}
    clock, stream = Clock(), io.StringIO()
    progress = Progress(jobs, {"account": 20.0, "figure": 4.0}, cores=2, stream=stream, clock=clock)

    def tell(event: Event, *, at: float, **fields: Any) -> list[str]:
        record = logging.LogRecord("snakemake", logging.INFO, "", 0, "", None, None)
        record.__dict__.update({"event": event} | fields)
        clock.now, before = at, len(stream.getvalue())
        progress.handle(record)
        return stream.getvalue()[before:].splitlines()

    stats = {"train": 2, "account": 2, "figure": 10, "default": 1, "total": 15}
    assert tell(Event.RUN_INFO, at=0, stats=stats) == [
        "2 runs to compute, 2 to account for, 14 jobs in all: about 2 min on 2 processors"
    ]
    for number, (rule, run, name) in enumerate(
        (rule, run, name) for rule, name in (("train", "outcome"), ("account", "result")) for run in RUNS
    ):
        output = [f"results/runs/{run}/{name}.json"]
        assert not tell(Event.JOB_INFO, at=0, jobid=number, rule_name=rule, output=output)
    return tell


def test_a_finished_run_is_a_line_with_what_accounting_said(pipeline: Any, tmp_path: Path) -> None:
    log = tmp_path / "results" / "runs" / RUNS[0] / "account.log"
    log.parent.mkdir(parents=True)
    log.write_text("a warning\n12:00:00 | ε upper/pld 1\n\n")
    assert pipeline(Event.JOB_FINISHED, at=30, job_id=0) == []
    assert pipeline(Event.JOB_FINISHED, at=40, job_id=2) == ["[1/2, about 1 min left] 12:00:00 | ε upper/pld 1"]
    assert pipeline(Event.PROGRESS, at=41, done=2, total=14) == []


def test_what_is_left_follows_the_pace(pipeline: Any) -> None:
    """Half of the work took three times as long as was estimated: so will the other half."""
    pipeline(Event.JOB_FINISHED, at=100, job_id=0)
    pipeline(Event.JOB_FINISHED, at=200, job_id=2)
    (line,) = pipeline(Event.JOB_FINISHED, at=300, job_id=3)
    assert line == f"[2/2, about {durations.in_words(300)} left] {RUNS[1]}"


def test_a_long_silence_ends_with_where_the_pipeline_is(pipeline: Any) -> None:
    assert pipeline(Event.JOB_FINISHED, at=59, job_id=0) == []
    assert pipeline(Event.JOB_FINISHED, at=61, job_id=1) == ["[0/2, about 40 s left]"]


def test_where_only_tables_are_made_the_pipeline_says_so_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stream = io.StringIO()
    progress = Progress({}, {"collect": 30.0, "figure": 5.0}, cores=1, stream=stream, clock=Clock())
    for stats in ({"collect": 1, "figure": 6, "all": 1, "total": 8}, {"all": 1, "total": 1}):
        record = logging.LogRecord("snakemake", logging.INFO, "", 0, "", None, None)
        record.__dict__.update(event=Event.RUN_INFO, stats=stats)
        progress.handle(record)
    assert stream.getvalue() == "no run to compute, 7 jobs in all: about 1 min on one processor\n"


def test_a_pipeline_that_goes_on_says_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = tmp_path / "results" / "runs" / RUNS[0] / "result.json"
    result.parent.mkdir(parents=True)
    result.write_text("{}")
    stream = io.StringIO()
    progress = Progress({run: {"phase": "train", "seconds": 60.0} for run in RUNS}, {}, stream=stream, clock=Clock())
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, "", None, None)
    record.__dict__.update(event=Event.RUN_INFO, stats={"train": 1, "account": 1, "all": 1, "total": 3})
    progress.handle(record)
    assert stream.getvalue() == (
        "1 of 2 runs are done; 1 runs to compute, 1 to account for, 2 jobs in all: about 1 min on one processor\n"
    )


@pytest.mark.parametrize(
    ("targets", "about"),
    [
        ([f"results/runs/{RUNS[0]}/result.json"], "10 s"),
        ([f"results/runs/{RUNS[1]}/outcome.json"], "2 min"),
        ([f"results/runs/{RUNS[0]}/result.json", "results/ledger.csv"], "1 min"),
        ([], "1 min"),
    ],
)
def test_runs_that_were_not_asked_for_are_not_expected(
    targets: list[str], about: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a training of 10 s and one of 2 min, a pipeline that is told to make one alone expects that one."""
    monkeypatch.chdir(tmp_path)
    jobs = {run: {"phase": "train", "seconds": seconds} for run, seconds in zip(RUNS, (10.0, 120.0), strict=True)}
    stream = io.StringIO()
    progress = Progress(jobs, {}, targets=lambda: targets, stream=stream, clock=Clock())
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, "", None, None)
    record.__dict__.update(event=Event.RUN_INFO, stats={"train": 1, "total": 1})
    progress.handle(record)
    assert f"about {about} on one processor" in stream.getvalue()


def test_a_record_of_another_shape_does_no_harm(pipeline: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert pipeline(Event.JOB_FINISHED, at=1, job_id=99) == []
    assert pipeline(Event.JOB_INFO, at=1) == []
    assert "KeyError" in capsys.readouterr().err, "logging's own account of it"


def test_quiet_keeps_warnings_on_the_screen_and_everything_in_the_log() -> None:
    logger = logging.Logger("snakemake")
    screen, file = logging.StreamHandler(io.StringIO()), logging.StreamHandler(io.StringIO())
    screen.name, file.name = "DefaultStreamHandler", "DefaultLogFileHandler"
    for handler in (screen, file):
        logger.addHandler(handler)
    quieten(logger)
    logger.info("Select jobs to execute...")
    logger.warning("a lock")
    logger.error("RuleException:\nCalledProcessError in file Snakefile, line 3:\nCommand returned 1")
    assert screen.stream.getvalue() == "a lock\n", "of a failed job its own log is shown, not its command"
    assert file.stream.getvalue().startswith("Select jobs to execute...\na lock\nRuleException:")


def test_an_estimate_is_the_runs_own_time_else_its_experiments_else_its_kinds(tmp_path: Path) -> None:
    path = tmp_path / "durations.csv"
    rows = [
        durations.of_run("mnist", "classification", RUNS[0], 100),
        durations.of_run("mnist", "classification", RUNS[1], 300),
        durations.of_run("digits", "classification", "23456789abcd", 2),
    ]
    assert durations.keep(rows, path) == 3
    known = durations.read(path)
    assert known.of(RUNS[0], "mnist", "classification") == 100
    assert known.of("f" * 12, "mnist", "classification") == 200
    assert known.of("f" * 12, "cifar10", "classification") == pytest.approx(134)
    assert known.of("f" * 12, "toy", "generation") is None
    asked = [(RUNS[0], "mnist"), ("f" * 12, "mnist"), ("e" * 12, "mnist"), ("d" * 12, "cifar10")]
    said = known.basis([found for each in asked if (found := known.estimate(*each, "classification"))])
    assert said == (
        "1 as published, 2 by the mean of their experiment in 2 published runs, "
        "1 by the mean of their kind in 3 published runs"
    )
    assert known.basis([]) == ""
    assert durations.keep([durations.of_run("mnist", "classification", RUNS[0], 50)], path) == 3
    # Of a kind's runs, those on the same dataset are nearer than the others.
    row = durations.of_run("another", "classification", "34567890abcd", 4, ["digits"])
    assert durations.keep([row], path) == 4
    found = durations.read(path).estimate("f" * 12, "mine", "classification", ["digits"])
    assert found == (4, "kind and dataset", "classification digits")
    assert durations.read(path).basis([found]) == "1 by the mean of their kind and dataset in 1 published run"
    assert durations.read(path).of("f" * 12, "mine", "classification", ["cifar10"]) == pytest.approx(
        (50 + 300 + 2 + 4) / 4
    )
    assert durations.read(path).runs[RUNS[0]] == 50
    assert durations.read(tmp_path / "none.csv").of(RUNS[0], "mnist", "classification") is None


def test_other_jobs_tell_by_what_they_wrote_down(tmp_path: Path) -> None:
    for run, seconds in zip(RUNS, (1.0, 3.0), strict=True):
        path = tmp_path / "runs" / run / "account.tsv"
        path.parent.mkdir(parents=True)
        path.write_text(f"s\th:m:s\n{seconds}\t0:00:01\n")
    assert [(row["rule"], row["seconds"]) for row in durations.of_rules(tmp_path)] == [("account", "2.0")]


@pytest.mark.parametrize("line", ["run,mnist,classification,0123456789ab,long", "run,mnist", "run,a,b,c,-1"])
def test_a_damaged_table_is_one_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "durations.csv"
    path.write_text(f"{','.join(durations.COLUMNS)}\n{line}\n")
    with pytest.raises(ValueError, match=r"durations\.csv: line 2 = .*must have rule, experiment"):
        durations.read(path)


def test_seconds_of_a_gpu_are_not_those_of_a_processor(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    tree.make(tmp_path / "results")
    path = next(iter(sorted((tmp_path / "results" / "runs").glob("*/result.json"))))
    result = load_result(path)
    elsewhere = result.provenance.model_copy(update={"device": "cuda (H100)", "seconds": 0.5})
    save(path, result.model_copy(update={"provenance": elsewhere, "digest": None}))
    to = tmp_path / "durations.csv"
    assert main(["durations", str(tmp_path / "results"), "--to", str(to)]) == 0
    assert capsys.readouterr().out == f"{to}: 3 runs and rules, without 1 of a GPU\n"
    assert set(durations.read(to).runs.values()) == {12.5}
    assert result.run not in durations.read(to).runs
