"""``wassdp account``: the budgets of one run."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

PROGRESS = "WASSDP_PROGRESS"  # set where the pipeline itself shows this line, from the job's log
HELP = "Put every budget that was asked for beside a run's outcome."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("run", nargs="?", metavar="RUN", help="id of a run of the plan")
    parser.add_argument("--plan", type=Path, default=Path("results/plan.json"), help="plan that has the run")
    parser.add_argument("--accountants", help="instead of RUN: JSON list of accountants, as in a configuration")
    parser.add_argument("--name", help="with --accountants: name of the run, for the line that reports it")
    parser.add_argument("--outcome", required=True, type=Path, help="outcome file of the run")
    parser.add_argument("--out", required=True, type=Path, help="result file to write")


def run(arguments: argparse.Namespace) -> int:
    """Account, write, and print one line: name, budgets with their kinds, delta, accuracy.

    A budget at another delta than the run's has its own beside it.
    """
    from filelock import FileLock
    from pydantic import ValidationError

    from wassdp.accounting.rounding import exact, rounded
    from wassdp.cli import paths, texts
    from wassdp.config import AskedAccountants
    from wassdp.explained import explain
    from wassdp.pipeline import job
    from wassdp.pipeline.account import account
    from wassdp.pipeline.locks import held
    from wassdp.pipeline.run_codes import account_code
    from wassdp.result import load_outcome
    from wassdp.runs import parse

    choices = texts.parsed("accountants", "[]" if arguments.accountants is None else arguments.accountants)
    name, planned = arguments.name or "", None
    if arguments.run is not None:
        for option in ("accountants", "name"):
            if getattr(arguments, option) is not None:
                raise ValueError(f"RUN and --{option}: give one of them")
        planned = job.read(paths.file("plan", arguments.plan, paths.PLAN), arguments.run)
    paths.file("outcome", arguments.outcome, "an outcome that wassdp run wrote")
    paths.new_file("out", arguments.out)
    if planned is not None:
        if (other := load_outcome(arguments.outcome).run) != arguments.run:
            raise ValueError(f"outcome = {str(arguments.outcome)!r}: is of run {other}; must be of {arguments.run}")
        name, choices = planned.name, list(planned.accountants)
    asked = {"accountants": choices}
    try:
        accountants = AskedAccountants.model_validate(asked).accountants
    except ValidationError as error:
        raise ValueError(explain(error, asked, AskedAccountants)) from None
    # A job that outlived its pipeline ends before the next one's for the same run begins: the later word is the last.
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with held(FileLock(arguments.out.parent / ".lock"), what="accounts for this run"):
        if planned is not None:
            today = job.read(arguments.plan, arguments.run)
            if today.accountants != planned.accountants:
                raise ValueError(f"run = {arguments.run!r}: {arguments.plan} asks for other accountants by now")
            kind, parameters, _ = parse(planned.spec)
            own = account_code(kind, parameters, accountants)
            job.refuse_other_code(arguments.plan, arguments.run, planned=today.accounting, own=own)
        result = account(arguments.outcome, arguments.out, accountants)
    budgets = [
        f"ε {item.label} {rounded(item.value, item.kind, infinite='unbounded')}"
        + (f" at δ {exact(item.delta)}" if item.delta != result.delta else "")
        for item in result.guarantees
    ]
    parts = [time.strftime("%H:%M:%S"), result.run, name, *(budgets or ["no private release"])]
    if result.delta is not None:
        parts.append(f"δ {exact(result.delta)}")
    if "accuracy" in result.metrics:
        parts.append(f"accuracy {result.metrics['accuracy']:.2%}")
    line = " | ".join(part for part in parts if part)
    # One write with its line end: jobs share the pipeline's output, and unbuffered `print` writes the end apart.
    stream = sys.stderr if os.environ.get(PROGRESS) else sys.stdout
    stream.write(f"{line}\n")
    stream.flush()
    return 0
