"""Ledger, tables of runs, tables and figures of a set, made of its results by today's code."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

from wassdp.config import FigureChoice
from wassdp.config import output as choice
from wassdp.pipeline import collect
from wassdp.pipeline.plan import PlannedExperiment, PlannedOutput, relabelled
from wassdp.publish.sets import ResultSet
from wassdp.report import frames, ledger_files, style, table_files


def draw(draft: Path, found: ResultSet) -> None:
    """Make everything of a published folder but its results and what says where they come from.

    Raises:
        ValueError: a figure or table cannot be made of these results.
    """
    mpl.use("agg")
    results = {run: collect.amended(result) for run, result in found.results.items()}
    plan = relabelled(found.plan)
    remarks = {run: part["remark"] for part in found.parts if part.get("remark") for run in part["results"]}
    collect.write_csv(draft / "runs.csv", collect.run_frame(plan, results))
    ledger_files.write(draft, plan, results, remarks=remarks)
    for experiment in found.plan.experiments:
        own = {row.run: results[row.run] for row in found.plan.runs if row.experiment == experiment.name}
        with tempfile.TemporaryDirectory() as place:
            collect.write_csv(Path(place) / "history.csv", collect.history_frame(own))
            collect.write_csv(Path(place) / "pictures.csv", collect.picture_frame(own))
            for section, outputs in (("figures", experiment.figures), ("tables", experiment.tables)):
                for output in outputs:
                    try:
                        _draw(draft, Path(place), experiment, section, output)
                    except ValueError as error:
                        raise ValueError(f"{section}.{output.name} of {experiment.name}: {error}") from error


def _draw(draft: Path, place: Path, experiment: PlannedExperiment, section: str, output: PlannedOutput) -> None:
    asked: Any = choice(section, FigureChoice(name=output.name, kind=output.kind, options=output.options))
    runs, points = frames.of_experiment(draft / "runs.csv", place / "history.csv", experiment.name)
    if section == "tables":
        table_files.write(asked.build(runs, points), draft / "tables" / output.name)
    else:
        figure, data = asked.draw(frames.with_pictures(runs, place / "pictures.csv"), points)
        style.save(figure, data, draft / "figures" / experiment.paper / output.name)
