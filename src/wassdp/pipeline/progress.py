"""What a pipeline says while it goes on: how much there is to do, about how long it takes, and each finished run.

Snakemake's own account of every job goes to its log file. Where a profile asks for quiet rules, its screen keeps
warnings and errors, and everything else is said here, in one line each.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any, TextIO

from wassdp.pipeline import failures
from wassdp.pipeline.durations import in_words

PHASES = ("generate", "train", "audit")
UNKNOWN = 1.0  # seconds of a job of which nothing is known
ENOUGH = 0.05  # of the work has to be done before its pace says more than the estimate
EVERY = 60.0  # seconds without a finished run after which a line says where the pipeline is


class Progress(logging.Handler):
    """Says where the pipeline is. Add it to Snakemake's logger.

    Args:
        jobs: run to what the plan says of its job, with ``seconds`` if an estimate is known.
        rules: seconds of a job by rule, for those that are no runs.
        cores: processors that work side by side.
        targets: gives the files that were asked for by name, which Snakemake knows after it read the rules; where all
            of them belong to runs, other runs are not expected.
        stream: where to; None for standard output.
        clock: seconds, monotone.
    """

    def __init__(
        self,
        jobs: Mapping[str, Mapping[str, Any]],
        rules: Mapping[str, float],
        *,
        cores: int = 1,
        targets: Callable[[], Iterable[str]] = tuple,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(logging.INFO)
        self._jobs, self._rules, self._cores = jobs, rules, max(1, cores)
        self._targets, self._asked = targets, set[str]()
        self._stream, self._clock = stream, clock
        self._told: dict[int, tuple[str, str]] = {}
        self._work = self._done = self._begun = self._last = 0.0
        self._runs = self._finished = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of the record; whatever is wrong with it, the pipeline goes on."""
        try:
            event = getattr(getattr(record, "event", None), "name", None)
            if event == "RUN_INFO":
                self._begin(record.__dict__["stats"])
            elif event == "JOB_INFO":
                outputs = list(record.__dict__.get("output") or ())
                run = Path(str(outputs[0])).parent.name if outputs else ""
                self._told[record.__dict__["jobid"]] = (record.__dict__["rule_name"], run)
            elif event == "JOB_FINISHED":
                self._finish(*self._told.get(record.__dict__["job_id"], ("", "")))
        except Exception:
            self.handleError(record)

    @property
    def left(self) -> float:
        """Seconds until the end, about."""
        estimate = max(0.0, self._work - self._done) / self._cores
        if self._done < ENOUGH * self._work:
            return estimate
        return (self._clock() - self._begun) * (self._work - self._done) / self._done

    def _begin(self, stats: Mapping[str, int]) -> None:
        self._asked = _runs_of(self._targets())
        counts = {rule: int(count) for rule, count in stats.items() if rule not in ("total", "all", "default")}
        self._runs = counts.get("account", 0)
        for rule, count in counts.items():
            self._work += count * (self._mean(rule) if rule in PHASES else self._rules.get(rule, UNKNOWN))
        self._begun = self._last = self._clock()
        computed = sum(counts.get(rule, 0) for rule in PHASES)
        if not counts:
            return
        processors = "one processor" if self._cores == 1 else f"{self._cores} processors"
        missing = sum(job["phase"] in PHASES and job.get("seconds") is None for job in self._jobs.values())
        doubt = f"; nothing is known of {missing} of all {len(self._jobs)} runs" if missing else ""
        done = sum(Path(f"results/runs/{run}/result.json").exists() for run in self._jobs)
        before = f"{done} of {len(self._jobs)} runs are done; " if 0 < done < len(self._jobs) else ""
        what = before + (
            f"{computed} runs to compute, {self._runs} to account for"
            if computed or self._runs
            else "no run to compute"
        )
        self._say(
            f"{what}, {sum(counts.values())} jobs in all: "
            f"about {in_words(self._work / self._cores)} on {processors}{doubt}"
        )

    def _mean(self, phase: str) -> float:
        """Mean estimate of the runs of a phase that were asked for and have no outcome yet."""
        asked = self._asked or self._jobs
        jobs = {run: job for run, job in self._jobs.items() if job["phase"] == phase and run in asked}
        open_ones = {run: job for run, job in jobs.items() if not Path(f"results/runs/{run}/outcome.json").exists()}
        seconds = [self._seconds(job) for job in (open_ones or jobs).values()]
        return sum(seconds) / len(seconds) if seconds else UNKNOWN

    @staticmethod
    def _seconds(job: Mapping[str, Any]) -> float:
        seconds = job.get("seconds")
        return UNKNOWN if seconds is None else float(seconds)

    def _finish(self, rule: str, run: str) -> None:
        if rule in PHASES and run in self._jobs:
            self._done += self._seconds(self._jobs[run])
        else:
            self._done += self._rules.get(rule, UNKNOWN)
        if rule == "account":
            self._finished += 1
            self._say(f"[{self._finished}/{self._runs}, {self._left()}] {_last_line(run)}")
        elif self._clock() - self._last > EVERY:
            where = f"{self._finished}/{self._runs}, " if self._runs else ""
            self._say(f"[{where}{self._left()}]")

    def _left(self) -> str:
        return f"about {in_words(self.left)} left"

    def _say(self, line: str) -> None:
        self._last = self._clock()
        stream = self._stream or sys.stdout
        stream.write(f"{line}\n")  # one write: jobs may share the output
        stream.flush()


def _runs_of(targets: Iterable[str]) -> set[str]:
    """Runs whose files these are; none if one of them is another file."""
    paths = [PurePath(target) for target in targets]
    return {path.parent.name for path in paths} if all(path.parent.parent.name == "runs" for path in paths) else set()


def quieten(logger: logging.Logger) -> None:
    """Keep warnings and errors alone on Snakemake's screen; its log file has everything.

    Which command ended with which code is left out too, and where Snakemake was when the system refused it something:
    `wassdp.pipeline.failures` says more in less.
    """
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":
            handler.setLevel(logging.WARNING)
            handler.addFilter(_tells)


def _tells(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("RuleException:\nCalledProcessError") and not failures.refused(record)


def _last_line(run: str) -> str:
    """What accounting said of a run."""
    try:
        lines = Path(f"results/runs/{run}/account.log").read_text(errors="replace").splitlines()
    except OSError:
        return run
    return next((line for line in reversed(lines) if line.strip()), run)
