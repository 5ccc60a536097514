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


def run(arguments: argparse.Namespace) -> int:
    """Freeze, and say where, and which studies have trials of several codes."""
    from wassdp.cli import paths
    from wassdp.protocol.freeze import freeze, of_several_codes, store_of

    paths.file("CONFIG", arguments.configuration, paths.CONFIGURATION)
    store = arguments.store or store_of(arguments.configuration)
    print(f"frozen in {freeze(arguments.configuration, store)}")
    if mixed := of_several_codes(arguments.configuration, store):
        print(
            f"wassdp freeze: the code was edited between the trials of {', '.join(mixed)}; what is frozen says so",
            file=sys.stderr,
        )
    return 0
