"""``wassdp plan``: the run table of a configuration."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

HELP = "Check a configuration and show, or write, its run table."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--config", type=Path, default=Path("config.yaml"), help="configuration (YAML)")
    parser.add_argument("--json", help="configuration as a JSON text, instead of a file")
    parser.add_argument("--strict", action="store_true", help="also construct every object that is named")
    parser.add_argument("--out", type=Path, help="write the plan here; otherwise show it")


def run(arguments: argparse.Namespace) -> int:
    """Expand and show the table."""
    from wassdp import config as configuration
    from wassdp.pipeline import plan as plans
    from wassdp.pipeline.execute import run_code
    from wassdp.pipeline.supported import check
    from wassdp.runs import expand

    if arguments.json is None:
        config = configuration.read(arguments.config)
    else:
        config = configuration.validate(json.loads(arguments.json))
    table = expand(config)
    check(config, table)
    if arguments.strict:
        configuration.construct(config)
        for row in table.unique().values():
            run_code(row.kind, row.parameters)
    planned = plans.plan(config, table)
    if arguments.out is not None:
        plans.write(arguments.out, planned)
        return 0
    for run in planned.runs:
        print(f"{run.run}  {run.phase:<8}  {run.name}")
    for item in table.excluded:
        print(f"excluded: {item.experiment} {item.name}: {item.reason}")
    print(f"{config.preset}: {len(table.unique())} runs, {len(table.excluded)} combinations excluded")
    return 0
