"""What is shown of a failed job, from records of the shape that Snakemake logs."""

from __future__ import annotations

import enum
import io
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

from wassdp.pipeline.failures import LINES, Failures


class Event(enum.Enum):
    JOB_ERROR = 1
    GROUP_ERROR = 2
    JOB_INFO = 3


def shown(*records: dict[str, Any]) -> tuple[str, list[str]]:
    stream = io.StringIO()
    handler = Failures({"0123456789ab": "training seed=0"}, stream)
    for fields in records:
        record = logging.LogRecord("snakemake", logging.ERROR, "", 0, "Error in rule", None, None)
        record.__dict__.update(fields)
        handler.handle(record)
    return stream.getvalue(), handler.shown


def job(log: Path, **more: Any) -> dict[str, Any]:
    output = [f"{log.parent}/0123456789ab/outcome.json"]
    return {"event": Event.JOB_ERROR, "rule_name": "train", "output": output, "log": [str(log)]} | more


def test_the_end_of_the_log_and_its_path(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("\n".join(f"line {number}" for number in range(100)) + "\n\n")
    text, lines = shown(job(log))
    assert text.startswith("wassdp: rule train failed (training seed=0)\n")
    assert f"  {log}, the last {LINES} of 100 lines:\n    line {100 - LINES}\n" in text
    assert text.endswith("    line 99\n")
    assert lines == [f"rule train failed (training seed=0): {log}"]


def test_no_log_and_an_empty_one_are_said(tmp_path: Path) -> None:
    assert "run.log: No such file or directory" in shown(job(tmp_path / "run.log"))[0]
    (tmp_path / "run.log").write_bytes(b"\n")
    assert "run.log: is empty" in shown(job(tmp_path / "run.log"))[0]
    (tmp_path / "run.log").write_bytes(b"\xff\xfe\n")
    assert "\ufffd" in shown(job(tmp_path / "run.log"))[0]


def test_where_a_log_has_no_room_the_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.log").touch()
    assert "MiB" not in shown(job(tmp_path / "run.log"))[0]
    usage = shutil.disk_usage(tmp_path)._replace(free=4096)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert f"run.log: is empty; {tmp_path} has 0.0 MiB of free space" in shown(job(tmp_path / "run.log"))[0]


def test_of_a_group_those_that_failed_with_the_schedulers_log(tmp_path: Path) -> None:
    slurm, log = tmp_path / "slurm.log", tmp_path / "run.log"
    slurm.write_text("slurmstepd: cancelled\n")
    log.write_text("epoch 3\n")
    (tmp_path / "there.json").write_text("{}")
    text, lines = shown(
        {"event": Event.GROUP_ERROR, "aux_logs": [str(slurm)], "job_error_info": []},
        job(log, indent=True),
        job(log, indent=True, output=[str(tmp_path / "there.json")]),
    )
    assert "epoch 3" in text
    assert "slurmstepd: cancelled" in text
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("OUT_OF_MEMORY", "OUT_OF_MEMORY, it needed more memory than it asked for (--set-resources train:mem_mb="),
        ("TIMEOUT", "TIMEOUT, it took longer than it asked for (--set-resources train:runtime="),
        ("CANCELLED by 0", "CANCELLED, somebody cancelled it"),
    ],
)
def test_a_job_that_slurm_ended_says_by_what(state: str, why: str, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("epoch 3\n")
    said = f"SLURM-job '7' failed, SLURM status is: '{state}'. Detailed failure reason unavailable."
    text, (line,) = shown(job(log, rule_msg=said))
    assert text.startswith(f"wassdp: rule train failed (training seed=0): Slurm says {why}")
    assert why in line
    own, _ = shown(job(log, rule_msg="SLURM-job '7' failed, SLURM status is: 'FAILED'."))
    assert own.startswith("wassdp: rule train failed (training seed=0)\n"), "its log says why"
    slurm = tmp_path / "4.log"
    slurm.write_text("slurmstepd-node: error: StepId=4.0 exceeded memory limit (273567744 > 262144000), being killed\n")
    own, _ = shown(
        job(log, rule_msg="SLURM-job '7' failed, SLURM status is: 'FAILED'.") | {"log": [str(log), str(slurm)]}
    )
    assert "(training seed=0): Slurm says exceeded memory limit, it needed more memory than it asked for" in own


def test_what_the_system_refuses_the_pipeline_itself_is_one_line(tmp_path: Path) -> None:
    where = 'Traceback (most recent call last):\n\n  File "jobs.py", line 836, in prepare\n    await remove()\n\n'
    told = {"event": enum.Enum("Event", ["ERROR"]).ERROR, "exception": "OSError"}  # type: ignore[attr-defined]
    text, _ = shown(told | {"msg": f"{where}OSError: [Errno 30] Read-only file system: 'results/a.json'\n"})
    assert text == (
        "wassdp: results/a.json: Read-only file system; what is finished is kept, and the same command goes on\n"
    )
    assert shown(told | {"msg": f"{where}OSError: [Errno 28] No space left on device\n"})[0].startswith(
        "wassdp: the pipeline: No space left on device; "
    )
    assert shown(told | {"msg": f"{where}ValueError: another thing\n"})[0] == ""


def test_other_records_are_left_alone_and_a_strange_one_stops_nothing(tmp_path: Path, capsys: Any) -> None:
    assert shown({"event": Event.JOB_INFO}, {}) == ("", [])
    logging.raiseExceptions, before = False, logging.raiseExceptions
    try:
        assert shown({"event": Event.JOB_ERROR})[1] == []
    finally:
        logging.raiseExceptions = before
