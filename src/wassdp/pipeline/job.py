"""What one run takes, as the plan's file has it: all that the job of a run reads of a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wassdp import complaints
from wassdp.files import read_object
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


def refuse_other_code(path: Path, run: str, *, planned: str, own: str) -> None:
    """Refuse to work for a plan by other code than it was made for: Snakemake would take it for that of the plan.

    Args:
        path: of the plan.
        run: that is worked for.
        planned: hash of the code, as the plan has it; empty: it has none.
        own: hash of the code of this process.

    Raises:
        ValueError: they differ.
    """
    if planned and planned != own:
        raise ValueError(
            f"run = {run!r}: the code is {own}, but {path} was made for {planned}: it was edited since; start the "
            "pipeline again"
        )


def read(path: Path, run: str) -> PlannedJob:
    """What a plan's file says of one run, without a look at the others.

    Raises:
        ValueError: the plan does not have it, is to be looked at alone, or the file is not a plan.
        OSError: the file cannot be read.
    """
    plan = read_object(path)
    if refusal := plan.get("refusal"):
        raise ValueError(f"{path}: {complaints.cut(str(refusal))}")
    jobs = plan.get("jobs", {})
    if not isinstance(jobs, dict):
        raise ValueError(f"{path}: is not a plan (jobs: must be an object)")
    if run not in jobs:
        raise ValueError(f"run = {run!r}: must be one of the {len(jobs)} runs that {path} plans")
    try:
        return PlannedJob.model_validate(jobs[run])
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(
            f"{path}: is not a plan (jobs.{run}.{complaints.dotted(first['loc'])}: {first['msg']})"
        ) from None
