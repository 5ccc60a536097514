"""``wassdp table``: build one table from the collected results."""

from __future__ import annotations

import argparse

from wassdp.cli import report

HELP = "Build one table (Markdown, CSV, LaTeX, HTML) from the collected tables."
configure = report.configure


def run(arguments: argparse.Namespace) -> int:
    """Build and write."""
    report.write(arguments, "tables")
    print(f"table in {arguments.out}.md")
    return 0
