"""``wassdp pipeline``: the whole workflow on this machine."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

HELP = "Compute what a configuration lists, on this machine: `make run`, and safe with a file that somebody sent."

PASSES_ON = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--config", type=Path, default=Path("config.yaml"), help="configuration (default: config.yaml)")
    parser.add_argument("--snakefile", type=Path, default=Path("Snakefile"), help="the workflow (default: Snakefile)")
    parser.add_argument("--cores", default="all", help="jobs at a time (default: one for each processor)")
    parser.epilog = "Words after -- are further options and targets of snakemake."


def run(arguments: argparse.Namespace) -> int:
    """Become the workflow: what stops this process stops that."""
    from wassdp.cli import paths
    from wassdp.pipeline import engine

    paths.file("config", arguments.config, paths.CONFIGURATION)
    words = engine.command(
        arguments.config, cores=arguments.cores, snakefile=arguments.snakefile, options=arguments.passed_on
    )
    sys.stdout.flush()
    os.execv(words[0], words)
