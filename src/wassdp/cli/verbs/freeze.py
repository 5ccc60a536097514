"""``wassdp freeze``: the settings that the trials chose, in a configuration that counts only unchanged."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "Write the settings that the trials chose into a frozen configuration."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("configuration", type=Path, metavar="CONFIG", help="configuration that was tuned")
    parser.add_argument("--store", type=Path, help="folder of the trials (default: CONFIG without its suffix)")
    parser.add_argument(
        "--runs",
        type=Path,
        help="folder of the runs, whose outcomes the trials have to agree with while they are there (default: "
        "results/tuning)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Freeze, and say where, and which studies have trials of several codes, or without digests."""
    from wassdp.cli import paths
    from wassdp.protocol.freeze import RUNS, freeze, of_several_codes, store_of, undigested

    paths.file("CONFIG", arguments.configuration, paths.CONFIGURATION)
    store = arguments.store or store_of(arguments.configuration)
    print(f"frozen in {freeze(arguments.configuration, store, arguments.runs or RUNS)}")
    if mixed := of_several_codes(arguments.configuration, store):
        print(
            f"wassdp freeze: the code was edited between the trials of {', '.join(mixed)}; what is frozen says so",
            file=sys.stderr,
        )
    if bare := undigested(arguments.configuration, store):
        print(
            "wassdp freeze: of an earlier version, which wrote no digests beside trials, so that nothing tells whether "
            f"they were edited: {', '.join(bare)}",
            file=sys.stderr,
        )
    return 0
