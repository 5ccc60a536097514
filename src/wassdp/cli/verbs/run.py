"""``wassdp run``: one run of a plan, or one specification."""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
from pathlib import Path
from typing import Any

HELP = "Compute one run: generate data, evaluate formulas, train a model or attack one."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("run", nargs="?", metavar="RUN", help="id of a run of the plan")
    parser.add_argument("--plan", type=Path, default=Path("results/plan.json"), help="plan that has the run")
    parser.add_argument("--spec", help="instead of RUN: specification of the run, JSON or @FILE")
    parser.add_argument("--out", required=True, type=Path, help="outcome file; its folder is the run's folder")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help="where to compute")


def run(arguments: argparse.Namespace) -> int:
    """Execute one run, with its progress on standard error.

    Standard output stays free for the caller: what libraries print goes to standard error too.
    """
    from wassdp.cli import paths
    from wassdp.pipeline import job, manifests, memory
    from wassdp.pipeline.execute import execute
    from wassdp.pipeline.run_codes import run_code
    from wassdp.runs import identify, parse, specification

    if (arguments.run is None) == (arguments.spec is None):
        raise ValueError("RUN and --spec: give one of them")
    if arguments.run is None:
        spec = _specification(arguments.spec)
    else:
        planned = job.read(paths.file("plan", arguments.plan, paths.PLAN), arguments.run)
        spec = planned.spec
        kind, parameters, seed = parse(spec)
        if identify(specification(kind, parameters, seed)) != arguments.run:
            raise ValueError(f"run = {arguments.run!r}: {arguments.plan} is of another version; plan once more")
    paths.new_file("out", arguments.out)
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s")
    logging.getLogger("wassdp").setLevel(logging.INFO)
    with contextlib.redirect_stdout(sys.stderr):
        if arguments.run is not None:
            own = run_code(kind, parameters)
            job.refuse_other_code(arguments.plan, arguments.run, planned=planned.code, own=own)
            manifests.refuse_other_files(arguments.plan.parent, planned.datasets)
        memory.keep_freed()
        execute(spec, arguments.out, device=arguments.device)
    return 0


def _specification(text: str) -> dict[str, Any]:
    from wassdp import complaints
    from wassdp.cli import paths, texts

    if text.startswith("@"):
        text = texts.read("spec", paths.file("spec", Path(text[1:]), "a file with the specification as JSON"))
    spec = texts.parsed("spec", text)
    if not isinstance(spec, dict):
        raise ValueError(f"spec = {complaints.shown(text)}: must be a JSON object")
    return spec
