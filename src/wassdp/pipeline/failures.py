"""Why a job failed, on the screen: Snakemake hides it together with its block for every job (``quiet: rules``)."""

from __future__ import annotations

import logging
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

LINES, LEAST_MIB = 12, 1.0
"""So many last lines of a failed job's log are shown; an error is one line, the end of a traceback a few."""

STATE = re.compile(r"SLURM status is:\s+'(\w+)")
ENDED = {
    "OUT_OF_MEMORY": "it needed more memory than it asked for (--set-resources {rule}:mem_mb=MB asks for more)",
    "TIMEOUT": "it took longer than it asked for (--set-resources {rule}:runtime=MINUTES asks for more)",
    "DEADLINE": "it was not over by its deadline",
    "CANCELLED": "somebody cancelled it",
    "NODE_FAIL": "its node failed",
    "BOOT_FAIL": "its node did not start",
}
"""States in which Slurm ends a job that may have had no time to say anything, in words."""

MEMORY = re.compile(r"^slurmstepd\S*: error: .*(exceeded memory limit|oom.kill)", re.MULTILINE)
"""What Slurm writes into a job's log where its state is only that the job failed."""
REFUSED = re.compile(r"^\w*Error: \[Errno \d+\] ([^:\n]+)(?:: '([^'\n]+)')?\s*$", re.MULTILINE)


class Failures(logging.Handler):
    """Shows the end of each failed job's log, with the log's path, and what stopped the pipeline itself.

    Add it to Snakemake's logger.

    Args:
        names: run id to readable name.
        stream: where to; None for standard error.
    """

    def __init__(self, names: Mapping[str, str], stream: TextIO | None = None) -> None:
        super().__init__(logging.ERROR)
        self._names = names
        self._stream = stream
        self._group: list[str] = []
        self.shown: list[str] = []
        """One line for each failure, in their order: which job, and its logs."""

    def emit(self, record: logging.LogRecord) -> None:
        """Show the failure if the record tells of one; whatever is wrong with the record, the pipeline goes on."""
        try:
            event = getattr(getattr(record, "event", None), "name", None)
            if event == "GROUP_ERROR":
                # Each job of a group is told of too, those that ended well as well: only the scheduler's log is new.
                self._group = [str(path) for path in getattr(record, "aux_logs", ()) if path]
            elif event == "JOB_ERROR":
                self._show(record.__dict__)
            elif reason := refused(record):
                print(f"wassdp: {reason}", file=self._stream or sys.stderr, flush=True)
        except Exception:
            self.handleError(record)

    def _show(self, job: Mapping[str, Any]) -> None:
        outputs, logs = list(job.get("output") or ()), [path for path in job.get("log") or () if path]
        if job.get("indent"):  # one of a group
            if outputs and all(Path(path).exists() for path in outputs):
                return
            logs += self._group
        run = Path(outputs[0]).parent.name if outputs else ""
        which = self._names.get(run) or "".join(outputs[:1])  # the run, or the file that is missing now
        lines = [f"wassdp: rule {job['rule_name']} failed{which and f' ({which})'}{_ended(job, logs)}"]
        for path in dict.fromkeys(logs):
            lines += _end(Path(path))
        if not logs and (said := job.get("rule_msg") or job.get("msg")):
            lines.append(str(said))
        self.shown.append(f"{lines[0].removeprefix('wassdp: ')}: {', '.join(logs) or 'no log'}")
        print("\n".join(lines), file=self._stream or sys.stderr, flush=True)


def refused(record: logging.LogRecord) -> str:
    """What the system refused the pipeline itself, which Snakemake tells by sixty lines; empty for other records."""
    if getattr(getattr(record, "event", None), "name", None) != "ERROR":
        return ""
    found = REFUSED.findall(record.getMessage())
    if not found:
        return ""
    reason, path = found[-1]
    return f"{path or 'the pipeline'}: {reason}; what is finished is kept, and the same command goes on"


def _ended(job: Mapping[str, Any], logs: Iterable[str]) -> str:
    """By what Slurm ended a job, with what precedes it; nothing where it did not."""
    found = STATE.search(str(job.get("rule_msg") or ""))
    if found is None:
        return ""
    said, state = found[1], found[1]
    if state not in ENDED and (words := next(filter(None, map(_memory, logs)), "")):
        said, state = words, "OUT_OF_MEMORY"
    return f": Slurm says {said}, {ENDED[state].format(rule=job['rule_name'])}" if state in ENDED else ""


def _memory(log: str) -> str:
    try:
        found = MEMORY.search(Path(log).read_text(errors="replace"))
    except OSError:
        return ""
    return found[1] if found else ""


def _end(path: Path) -> list[str]:
    """The path of a log, and its last lines."""
    try:
        written = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
    except OSError as error:
        return [f"  {path}: {error.strerror or error}"]
    if not written:
        free = shutil.disk_usage(path.parent).free / 2**20
        reason = "the job was killed, or failed before it began"
        if free < LEAST_MIB:  # then its last words found no place either
            reason = f"{path.parent} has {free:.1f} MiB of free space"
        return [f"  {path}: is empty; {reason}"]
    more = f", the last {LINES} of {len(written)} lines" if len(written) > LINES else ""
    return [f"  {path}{more}:", *(f"    {line}" for line in written[-LINES:])]
