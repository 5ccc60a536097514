"""Ledger, tables of runs, tables and figures of a set, made of its results by today's code."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import pandas as pd

from wassdp.config import FigureChoice
from wassdp.config import output as choice
from wassdp.ledger import files as ledger_files
from wassdp.pipeline import collect
from wassdp.pipeline.plan import PlannedExperiment, relabelled
from wassdp.publish import attacked
from wassdp.publish.sets import ResultSet
from wassdp.report import made
from wassdp.result import Result


def draw(draft: Path, found: ResultSet, folder: Path, *, pages: bool = False) -> None:
    """Make everything of a published folder but its results and what says where they come from.

    Args:
        draft: the folder to be.
        found: its set.
        folder: its place, where the attacks on older results are kept.
        pages: leave figures and tables as they are there.

    Raises:
        ValueError: a figure or table cannot be made of these results.
    """
    mpl.use("agg")
    results = attacked.beside(draft, found.raw, found.results, known=attacked.read(folder))
    results = {run: collect.amended(result) for run, result in results.items()}
    plan = relabelled(found.plan)
    remarks = {run: part["remark"] for part in found.parts if part.get("remark") for run in part["results"]}
    collect.write_csv(draft / "runs.csv", short(collect.run_frame(plan, results)))
    ledger_files.write(draft, plan, results, remarks=remarks)
    if pages:
        for name in ("figures", "tables"):
            if (folder / name).is_dir():
                shutil.copytree(folder / name, draft / name)
        return
    for experiment in found.plan.experiments:
        _outputs(
            draft,
            experiment,
            {row.run: results[row.run] for row in found.plan.runs if row.experiment == experiment.name},
        )


def short(frame: pd.DataFrame) -> pd.DataFrame:
    """The table of runs without what budgets rest on, long texts that the ledger holds beside it."""
    return frame.drop(columns=[name for name in frame if str(name).startswith("assumptions/")])


def _outputs(draft: Path, experiment: PlannedExperiment, results: Mapping[str, Result]) -> None:
    """Figures and tables of an experiment, of its runs."""
    with tempfile.TemporaryDirectory() as place:
        tables = {name: Path(place) / f"{name}.csv" for name in ("history", "pictures")}
        collect.write_csv(tables["history"], collect.history_frame(results))
        collect.write_csv(tables["pictures"], collect.picture_frame(results))
        for section, outputs in (("figures", experiment.figures), ("tables", experiment.tables)):
            for output in outputs:
                where = f"figures/{experiment.paper}" if section == "figures" else section
                asked = choice(section, FigureChoice(name=output.name, kind=output.kind, options=output.options))
                stem = draft / where / output.name
                try:
                    made.write(asked, stem, experiment=experiment.name, runs=draft / "runs.csv", page=False, **tables)
                except ValueError as error:
                    raise ValueError(f"{section}.{output.name} of {experiment.name}: {error}") from error
