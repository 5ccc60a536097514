"""What one run takes, as the plan's file has it: all that the job of a run reads of a configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wassdp.result import Strict


class PlannedJob(Strict):
    """What computing a run and its budgets takes: one for each run, whatever number of experiments show it.

    Args:
        name: for people.
        phase: the rule that computes it.
        datasets: names of those that it reads from disk.
        code: hash of the code behind its outcome.
        accountants: those of all experiments that show it, as in a configuration.
        accounting: hash of the code behind its budgets.
        seconds: about what computing it takes on one processor (`wassdp.pipeline.durations`), if that is known.
    """

    name: str
    phase: str
    datasets: tuple[str, ...]
    code: str
    accountants: tuple[dict[str, Any], ...]
    accounting: str
    seconds: float | None = None
    spec: dict[str, Any]


def read(path: Path, run: str) -> PlannedJob:
    """What a plan's file says of one run, without a look at the others.

    Raises:
        ValueError: the plan does not have it.
        OSError: the file cannot be read.
    """
    jobs = json.loads(path.read_text()).get("jobs", {})
    if run not in jobs:
        raise ValueError(f"run = {run!r}: must be one of the {len(jobs)} runs that {path} plans")
    return PlannedJob.model_validate(jobs[run])
