"""``wassdp final``: the test evaluation of a frozen configuration, once, and on record."""

from __future__ import annotations

import argparse
import os
import sys
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
    """Check, put on record, run the workflow; its exit code.

    What only looks (a dry run, a summary) is passed on, and no reading begins. One that began is finished by all
    results of the frozen file's own runs, and by nothing less. A first one takes no run that was computed before,
    unless a reason is on record.
    """
    from wassdp import config
    from wassdp.cli import paths
    from wassdp.pipeline import engine, provenance, readings
    from wassdp.pipeline.start import PLAN
    from wassdp.protocol import final
    from wassdp.protocol.freeze import check, record_of
    from wassdp.runs import expand

    digest = check(paths.file("FROZEN", arguments.frozen, "a YAML file that wassdp freeze wrote"))
    command = engine.command(
        arguments.frozen, cores=arguments.cores, snakefile=arguments.snakefile, options=arguments.passed_on
    )
    environment = os.environ | {readings.READING: digest}
    place = final.working_folder(command[command.index("snakemake") + 1 :])
    if place is None:
        return engine.run(command, environment)
    runs = sorted(expand(config.read(arguments.frozen)).unique())
    folder = record_of(arguments.frozen)
    number = readings.begin(
        folder,
        digest,
        commit=provenance.commit(),
        now=provenance.now(),
        again=arguments.again,
        earlier=final.computed(place / PLAN.parent, runs),
    )
    print(f"reading {number} of the test records is on record in {folder / readings.NAME}", flush=True)
    code = engine.run(command, environment)
    if code == 0:
        found = final.results(place / PLAN.parent, runs)
        if len(found) == len(runs):
            readings.finish(folder, number, digest, now=provenance.now(), results=found)
        else:
            print(
                f"wassdp final: {len(runs) - len(found)} of {len(runs)} runs have no result yet: reading {number} "
                "stays open, and goes on with the same command",
                file=sys.stderr,
            )
    return code
