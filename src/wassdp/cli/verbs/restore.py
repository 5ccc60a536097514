"""``wassdp restore``: published results back into a results folder."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "Put a published set's results back into a results folder, so that the workflow computes only what is missing."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("folder", type=Path, help="published folder, e.g. docs/results/wasserstein-dp")
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder (default: results)")


def run(arguments: argparse.Namespace) -> int:
    """Restore; exit code 0."""
    from wassdp.cli import paths
    from wassdp.publish.restore import restore

    paths.folder("folder", arguments.folder, "a published folder")
    paths.new_folder("results", arguments.results)
    with paths.named("folder", arguments.folder):
        new, there = restore(arguments.folder, arguments.results)
    print(f"{len(new)} runs put back into {arguments.results / 'runs'}, {len(there)} were there already")
    return 0
