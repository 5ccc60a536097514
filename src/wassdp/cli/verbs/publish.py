"""``wassdp publish``: finished results into the repository."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "Copy finished results with their origin to docs/results/<preset>."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder (default: results)")
    parser.add_argument("--plan", type=Path, help="run table (default: plan.json in the results folder)")
    parser.add_argument("--to", type=Path, default=Path("docs/results"), help="where to (default: docs/results)")
    parser.add_argument(
        "--again",
        type=Path,
        metavar="FOLDER",
        help="instead, make ledger, tables and figures of a published folder again, from the results that it holds",
    )
    parser.add_argument("--remark", help="with --again: a line on top of README and ledger; empty removes it")
    parser.add_argument(
        "--config", type=Path, help="with --again: configuration to take search, remarks and seeds of older sets from"
    )
    parser.add_argument("--partial", action="store_true", help="publish although something is missing, and name it")


def run(arguments: argparse.Namespace) -> int:
    """Publish; exit code 0."""
    from wassdp.pipeline import plan as plans
    from wassdp.publish.copy import publish

    if arguments.again is not None:
        from wassdp import config
        from wassdp.publish.again import again

        read = None if arguments.config is None else config.read(arguments.config)
        plan = again(arguments.again, remark=arguments.remark, config=read)
        print(f"{arguments.again}: made again from {len({row.run for row in plan.runs})} planned runs")
        return 0
    for name in ("remark", "config"):
        if getattr(arguments, name) is not None:
            raise ValueError(f"{name}: is for --again")
    plan = plans.read(arguments.plan or arguments.results / "plan.json")
    folder, missing = publish(arguments.results, plan, arguments.to, partial=arguments.partial)
    for item in missing:
        print(f"missing: {item}", file=sys.stderr)
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{folder}: {len(files)} files, {size:.1f} MB; begin with {folder / 'README.md'}")
    return 0
