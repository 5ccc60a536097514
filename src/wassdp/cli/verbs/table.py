"""``wassdp table``: build one table from the collected results."""

from __future__ import annotations

import argparse

from wassdp.cli import report

HELP = "Build one table (Markdown, CSV, LaTeX) from the collected tables."
configure = report.configure


def run(arguments: argparse.Namespace) -> int:
    """Build and write."""
    from wassdp.report import table_files
    from wassdp.report.tables import TABLES

    chosen = report.choice(arguments, "tables")
    module = TABLES.load(chosen.kind)
    table_files.write(module.build(*report.frames(arguments), chosen.options), arguments.out)
    print(f"table in {arguments.out}.md")
    return 0
