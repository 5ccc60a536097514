"""``wassdp table``: build one table from the collected results."""

from __future__ import annotations

import argparse
import importlib

from wassdp.cli import _report

HELP = "Build one table (Markdown, CSV, LaTeX) from the collected tables."
configure = _report.configure


def run(arguments: argparse.Namespace) -> int:
    """Build and write."""
    from wassdp.report import table_files

    chosen = _report.choice(arguments, "tables")
    module = importlib.import_module(f"wassdp.report.tables.{chosen.kind}")
    table_files.write(module.build(*_report.frames(arguments), chosen.options), arguments.out)
    print(f"table in {arguments.out}.md")
    return 0
