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
    from wassdp.cli import paths
    from wassdp.files import write_json
    from wassdp.pipeline import collect, plan, repair, stored

    source = paths.plan(arguments)
    folder = paths.new_folder("out", arguments.out or arguments.results)
    planned = plan.read(source)
    results = collect.results(planned, arguments.results, partial=arguments.partial)
    frames = (collect.run_frame(planned, results), collect.history_frame(results), collect.picture_frame(results))
    for name, frame in zip(repair.TABLES, frames, strict=True):
        collect.write_csv(folder / name, frame)
    digests = {name: stored.sha256((folder / name).read_bytes()) for name in repair.TABLES}
    write_json(folder / repair.COLLECTED, digests | repair.collected(results, planned.facts))
    print(f"{len(results)} of {len({run.run for run in planned.runs})} runs collected in {folder / 'runs.csv'}")
    return 0
