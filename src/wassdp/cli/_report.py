"""What the verbs ``figure`` and ``table`` share: arguments, and the frames of one experiment."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from wassdp.config import FigureChoice


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of both verbs."""
    parser.add_argument("--runs", type=Path, default=Path("results/runs.csv"), help="table of runs")
    parser.add_argument("--history", type=Path, default=Path("results/history.csv"), help="table of curves")
    parser.add_argument("--experiment", required=True, help="experiment whose runs are shown")
    parser.add_argument("--kind", required=True, help="kind of figure or table")
    parser.add_argument("--options", default="{}", help="options of the kind, JSON")
    parser.add_argument("--out", required=True, type=Path, help="path without suffix; one file per format is written")


def choice(arguments: argparse.Namespace, section: str) -> FigureChoice:
    """The figure or table that was asked for, its options checked."""
    from wassdp import checks, config

    checks.one_of("kind", arguments.kind, config.files(f"report.{section}"))
    chosen = config.FigureChoice(name="asked", kind=arguments.kind, options=json.loads(arguments.options))
    config.report_options(section, chosen)
    return chosen


def frames(arguments: argparse.Namespace) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs and curves of the experiment, without the columns that belong to others.

    ``delta`` stays whatever the runs are: where it is missing, a run is not private.

    Raises:
        ValueError: the table has no run of this experiment.
    """
    import pandas as pd

    types: dict[str, Any] = {"run": str}
    runs = pd.read_csv(arguments.runs, dtype=types)
    runs = runs[runs["experiment"] == arguments.experiment]
    if runs.empty:
        raise ValueError(f"experiment = {arguments.experiment!r}: has no run in {arguments.runs}")
    runs = runs.loc[:, runs.notna().any() | (runs.columns == "delta")]
    history = pd.read_csv(arguments.history, dtype=types)
    return runs.reset_index(drop=True), history[history["run"].isin(runs["run"])].reset_index(drop=True)


def with_pictures(runs: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The runs with their sheets of pictures, columns ``picture/<name>``, as they are if there is no such table."""
    import pandas as pd

    if not path.is_file():
        return runs
    sheets = pd.read_csv(path, dtype=str)
    sheets = sheets[sheets["run"].isin(runs["run"])]
    wide = sheets.pivot(index="run", columns="name", values="png").add_prefix("picture/")
    return runs.join(wide, on="run")
