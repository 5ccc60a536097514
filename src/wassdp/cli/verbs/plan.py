"""``wassdp plan``: a configuration as a table of runs and outputs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

HELP = "Check a configuration and show, or write, its run table."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--config", default="config.yaml", help="configuration (YAML file, or - for JSON on input)")
    parser.add_argument("--json", help="configuration as a JSON text, instead of a file")
    parser.add_argument("--strict", action="store_true", help="also construct every object that is named")
    parser.add_argument("--out", type=Path, help="write the plan here; otherwise show it")
    parser.add_argument(
        "--check-results",
        type=Path,
        metavar="FOLDER",
        help="name those results of the plan in this results folder that are damaged, which are computed again",
    )
    parser.add_argument("--set-aside", action="store_true", help="with --check-results: rename them too")


def run(arguments: argparse.Namespace) -> int:
    """Expand and show the table."""
    from wassdp import config as configuration
    from wassdp.pipeline import plan as plans
    from wassdp.pipeline import repair, stored
    from wassdp.pipeline.supported import check
    from wassdp.runs import expand

    if arguments.json is not None:
        config = configuration.validate(json.loads(arguments.json))
    elif arguments.config == "-":
        config = configuration.validate(json.load(sys.stdin))
    else:
        config = configuration.read(Path(arguments.config))
    table = expand(config)
    check(config, table)
    if arguments.strict:
        configuration.construct(config)
    planned = plans.plan(config, table)
    excluded = [f"excluded: {item.experiment} {item.name}: {item.reason}" for item in table.excluded]
    if arguments.check_results is not None:
        damaged = repair.damaged(arguments.check_results, {run: job.spec for run, job in planned.jobs.items()})
        for reason in damaged.values():
            print(f"wassdp: {reason}; it is computed again", file=sys.stderr)
        if arguments.set_aside:
            repair.set_aside(damaged)
        planned = planned.restored(stored.restored(arguments.check_results))
    if arguments.out is not None:
        plans.write(arguments.out, planned)
        print("\n".join(excluded), file=sys.stderr, end="\n" if excluded else "")
        return 0
    for row in planned.runs:
        print(f"{row.run}  {row.phase:<8}  {row.name}")
    for line in excluded:
        print(line)
    print(f"{config.preset}: {len(table.unique())} runs, {len(table.excluded)} combinations excluded")
    return 0
