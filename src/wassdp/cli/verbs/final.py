"""``wassdp final``: the test evaluation of a frozen configuration, once, and on record."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

HELP = "Run a frozen configuration on the test records, once; a second reading needs a reason, and is recorded."

PASSES_ON = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("frozen", type=Path, metavar="FROZEN", help="configuration written by wassdp freeze")
    parser.add_argument("--again", metavar="REASON", help="read test records once more, for this reason")
    parser.add_argument("--snakefile", type=Path, default=Path("Snakefile"), help="the workflow (default: Snakefile)")
    parser.add_argument("--cores", default="1", help="jobs at a time (default: 1)")
    parser.epilog = "Words after -- are further options and targets of snakemake."


def run(arguments: argparse.Namespace) -> int:
    """Check, put on record, run the workflow; its exit code."""
    from wassdp.cli import paths
    from wassdp.pipeline import engine, provenance, readings
    from wassdp.pipeline.start import PLAN
    from wassdp.pipeline.stored import load
    from wassdp.protocol.freeze import check

    digest = check(paths.file("FROZEN", arguments.frozen, "a YAML file that wassdp freeze wrote"))
    command = engine.command(
        arguments.frozen, cores=arguments.cores, snakefile=arguments.snakefile, options=arguments.passed_on
    )
    folder = arguments.frozen.parent
    number = readings.begin(folder, digest, commit=provenance.commit(), now=provenance.now(), again=arguments.again)
    print(f"reading {number} of the test records is on record in {folder / readings.NAME}", flush=True)
    code = engine.run(command, os.environ | {readings.READING: digest})
    if code == 0:
        found = load(PLAN.parent, sorted(_runs(PLAN)))
        readings.finish(folder, now=provenance.now(), results={run: found[run].digest for run in sorted(found)})
    return code


def _runs(plan: Path) -> set[str]:
    from wassdp.pipeline import plan as plans

    return {row.run for row in plans.read(plan).runs}
