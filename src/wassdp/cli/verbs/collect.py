"""``wassdp collect``: results of all runs in three tables."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "Gather results into runs.csv, history.csv and pictures.csv."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder")
    parser.add_argument("--plan", type=Path, help="run table (default: plan.json of the results folder)")
    parser.add_argument("--out", type=Path, help="folder of the tables (default: the results folder)")
    parser.add_argument("--partial", action="store_true", help="leave out runs that are not finished")


def run(arguments: argparse.Namespace) -> int:
    """Read every result and write the tables."""
    from wassdp.pipeline import collect, plan

    planned = plan.read(arguments.plan or arguments.results / "plan.json")
    results = collect.results(planned, arguments.results, partial=arguments.partial)
    folder = arguments.out or arguments.results
    collect.write_csv(folder / "runs.csv", collect.run_frame(planned, results))
    collect.write_csv(folder / "history.csv", collect.history_frame(results))
    collect.write_csv(folder / "pictures.csv", collect.picture_frame(results))
    print(f"{len(results)} of {len({run.run for run in planned.runs})} runs collected in {folder / 'runs.csv'}")
    return 0
