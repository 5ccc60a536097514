"""``wassdp ledger``: every budget of every run, and what it rests on."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "Write the ledger: every budget of every run, with its kind and what it rests on."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder")
    parser.add_argument("--plan", type=Path, help="run table (default: plan.json of the results folder)")
    parser.add_argument("--partial", action="store_true", help="leave out runs that are not finished")


def run(arguments: argparse.Namespace) -> int:
    """Write the ledger and its picture."""
    from wassdp.cli import paths
    from wassdp.ledger import files as ledger_files
    from wassdp.pipeline import collect, plan, stored

    planned = plan.read(paths.plan(arguments))
    results = collect.results(planned, arguments.results, partial=arguments.partial)
    rows = ledger_files.write(arguments.results, planned, results, remarks=stored.remarks(arguments.results))
    print(f"{rows} budgets in {arguments.results / 'ledger.md'}")
    return 0
