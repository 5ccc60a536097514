"""``wassdp schema``: JSON Schemas in ``workflow/schemas``, for editors."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "Write the JSON Schemas of configurations and results, or check that they are current."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--folder", type=Path, default=Path("workflow/schemas"), help="where to (git ignores it)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a schema is out of date")


def run(arguments: argparse.Namespace) -> int:
    """Write or compare."""
    from wassdp import schema
    from wassdp.cli import paths
    from wassdp.files import write_text

    if not arguments.check:
        paths.new_folder("folder", arguments.folder)
    wanted = {
        arguments.folder / "config.schema.json": schema.text(schema.config_schema()),
        arguments.folder / "result.schema.json": schema.text(schema.result_schema()),
    }
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if arguments.check:
        for path in stale:
            print(f"{path}: is out of date; run `wassdp schema`", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        write_text(path, wanted[path])
    return 0
