"""``wassdp durations``: how long finished runs took."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HELP = "Keep how long the runs of finished or published results took, for the estimates of plan and pipeline."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="results folder, or a published one")
    parser.add_argument("--to", type=Path, help="the table (default: docs/results/durations.csv)")


def run(arguments: argparse.Namespace) -> int:
    """Put them into the table, and print its size."""
    from wassdp.cli import paths
    from wassdp.pipeline import durations
    from wassdp.publish import sets

    to = paths.new_file("to", durations.FILE if arguments.to is None else arguments.to)
    rows: list[dict[str, str]] = []
    elsewhere: set[str] = set()
    for folder in arguments.folders:
        paths.folder("FOLDER", folder, paths.RESULTS)
    for folder in arguments.folders:
        with paths.named("FOLDER", folder):
            results = sets.read(folder)
        for planned in results.plan.runs:
            if planned.run in results.results:
                origin = results.results[planned.run].provenance
                # The table is of one processor, and nothing says what a GPU's seconds are in those.
                if origin.device.startswith("cuda"):
                    elsewhere.add(planned.run)
                    continue
                seconds = origin.seconds
                datasets = _datasets(planned.kind, planned.spec["parameters"])
                rows.append(durations.of_run(planned.experiment, planned.kind, planned.run, seconds, datasets))
        rows += durations.of_rules(folder)
    left_out = f", without {len(elsewhere)} of a GPU" if elsewhere else ""
    print(f"{to}: {durations.keep(rows, to)} runs and rules{left_out}")
    return 0


def _datasets(kind: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """What a run read; nothing where its parameters, of an older version, do not tell today."""
    from wassdp.runs import validate_parameters

    try:
        return validate_parameters(kind, parameters).datasets()
    except ValueError:
        return ()
