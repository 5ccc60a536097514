"""What the verbs ``figure`` and ``table`` share: arguments, and how they make it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SUFFIXES = {".svg", ".png", ".csv", ".md", ".tex", ".html"}
"""Of the formats, which are written beside each other."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of both verbs."""
    parser.add_argument("--runs", type=Path, default=Path("results/runs.csv"), help="table of runs")
    parser.add_argument("--history", type=Path, default=Path("results/history.csv"), help="table of curves")
    parser.add_argument("--experiment", required=True, help="experiment whose runs are shown")
    parser.add_argument("--kind", required=True, help="kind of figure or table")
    parser.add_argument("--options", default="{}", help="options of the kind, JSON")
    parser.add_argument("--out", required=True, type=Path, help="path without suffix; one file per format is written")


def write(arguments: argparse.Namespace, section: str, pictures: Path = Path("results/pictures.csv")) -> None:
    """Make the figure or table that was asked for, its options checked, and write its files.

    Raises:
        ValueError: there is no such kind, an option is wrong, or it cannot be made of these runs.
    """
    from wassdp import config
    from wassdp.cli import paths
    from wassdp.report import made

    config.SECTIONS[section].known(arguments.kind)
    if arguments.out.suffix in SUFFIXES or not arguments.out.name:
        raise ValueError(f"out = {str(arguments.out)!r}: must be a path without suffix, one file per format is written")
    try:
        options = json.loads(arguments.options)
    except ValueError as error:
        raise ValueError(f"options = {arguments.options!r}: must be a JSON object ({error})") from None
    choice = config.figure_choice({"name": "asked", "kind": arguments.kind, "options": options})
    asked = config.output(section, choice)
    for name, path, what in (("runs", arguments.runs, "runs"), ("history", arguments.history, "curves")):
        paths.file(name, path, f"a table of {what}, which `wassdp collect` writes")
    tables = {"runs": arguments.runs, "history": arguments.history, "pictures": pictures}
    made.write(asked, arguments.out, experiment=arguments.experiment, **tables, page=True)
