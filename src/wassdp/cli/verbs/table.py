"""``wassdp table``: build one table from the collected results."""

from __future__ import annotations

import argparse

from wassdp.cli import report

HELP = "Build one table (Markdown, CSV, LaTeX) from the collected tables."
configure = report.configure


def run(arguments: argparse.Namespace) -> int:
    """Build and write."""
    from wassdp.report import table_files

    table_files.write(report.output(arguments, "tables").build(*report.frames(arguments)), arguments.out)
    print(f"table in {arguments.out}.md")
    return 0
