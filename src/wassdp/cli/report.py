"""What the verbs ``figure`` and ``table`` share: arguments, and the frames of one experiment."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of both verbs."""
    parser.add_argument("--runs", type=Path, default=Path("results/runs.csv"), help="table of runs")
    parser.add_argument("--history", type=Path, default=Path("results/history.csv"), help="table of curves")
    parser.add_argument("--experiment", required=True, help="experiment whose runs are shown")
    parser.add_argument("--kind", required=True, help="kind of figure or table")
    parser.add_argument("--options", default="{}", help="options of the kind, JSON")
    parser.add_argument("--out", required=True, type=Path, help="path without suffix; one file per format is written")


def output(arguments: argparse.Namespace, section: str) -> Any:
    """The figure or table that was asked for, its options checked."""
    from wassdp import config

    config.SECTIONS[section].known(arguments.kind)
    asked = config.FigureChoice(name="asked", kind=arguments.kind, options=json.loads(arguments.options))
    return config.output(section, asked)


def frames(arguments: argparse.Namespace) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs and curves of the experiment, without the columns that belong to others.

    ``delta`` stays whatever the runs are: where it is missing, a run is not private.

    Raises:
        ValueError: the table has no run of this experiment.
    """
    from wassdp.report.frames import of_experiment

    return of_experiment(arguments.runs, arguments.history, arguments.experiment)
