"""``wassdp figure``: draw one figure from the collected tables."""

from __future__ import annotations

import argparse
from pathlib import Path

from wassdp.cli import report

HELP = "Draw one figure (SVG, PNG, and its data as CSV) from the collected tables."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    report.configure(parser)
    parser.add_argument(
        "--pictures",
        type=Path,
        default=Path("results/pictures.csv"),
        help="table of pictures, for figures that show them",
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw and save."""
    import matplotlib as mpl

    mpl.use("agg")
    report.write(arguments, "figures", arguments.pictures)
    print(f"figure in {arguments.out}.svg")
    return 0
