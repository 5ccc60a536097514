"""Ledger, tables of runs, tables and figures of a set, made of its results by today's code."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import pandas as pd

from wassdp.config import FigureChoice
from wassdp.config import output as choice
from wassdp.files import RUNS
from wassdp.ledger import files as ledger_files
from wassdp.pipeline import collect
from wassdp.pipeline.plan import PlannedExperiment, relabelled
from wassdp.publish import attacked
from wassdp.publish.sets import ResultSet
from wassdp.report import made
from wassdp.result import Result

logger = logging.getLogger(__name__)


def draw(draft: Path, found: ResultSet, folder: Path, *, pages: bool = False, partial: bool = False) -> list[str]:
    """Make everything of a published folder but its results and what says where they come from.

    Args:
        draft: the folder to be.
        found: its set.
        folder: its place, where the attacks on older results are kept.
        pages: leave figures and tables as they are there.
        partial: leave out what cannot be made of an experiment that has a run which is not finished.

    Returns:
        What was left out, each with the reason in one line.

    Raises:
        ValueError: a figure or table cannot be made of these results.
    """
    mpl.use("agg")
    results = attacked.beside(draft, found.raw, found.results, known=attacked.read(folder))
    results = {run: collect.amended(result) for run, result in results.items()}
    plan = relabelled(found.plan)
    remarks = {run: part["remark"] for part in found.parts if part.get("remark") for run in part["results"]}
    collect.write_csv(draft / RUNS, short(collect.run_frame(plan, results)))
    ledger_files.write(draft, plan, results, remarks=remarks)
    if pages:
        for name in ("figures", "tables"):
            if (folder / name).is_dir():
                shutil.copytree(folder / name, draft / name)
        return []
    left_out: list[str] = []
    for number, experiment in enumerate(found.plan.experiments, 1):
        logger.info("%s: %d of %d: %s", folder, number, len(found.plan.experiments), experiment.name)
        rows = [row.run for row in found.plan.runs if row.experiment == experiment.name]
        failed = _outputs(draft, experiment, {run: results[run] for run in rows if run in results}, results)
        if failed and not (partial and any(run not in results for run in rows)):
            raise ValueError(failed[0])
        left_out += failed
    return left_out


def short(frame: pd.DataFrame) -> pd.DataFrame:
    """The table of runs without what budgets rest on, long texts that the ledger holds beside it."""
    return frame.drop(columns=[name for name in frame if str(name).startswith("assumptions/")])


def _outputs(
    draft: Path, experiment: PlannedExperiment, own: Mapping[str, Result], every: Mapping[str, Result]
) -> list[str]:
    """Make figures and tables of an experiment's runs, or of those of its task; those that cannot be made, and why."""
    failed = []
    with tempfile.TemporaryDirectory() as place:
        for section, outputs in (("figures", experiment.figures), ("tables", experiment.tables)):
            for output in outputs:
                where = f"figures/{experiment.paper}" if section == "figures" else section
                stem = draft / where / output.name
                try:
                    if not own:
                        raise ValueError("none of its runs is finished")
                    asked = choice(section, FigureChoice(name=output.name, kind=output.kind, options=output.options))
                    of = ("task", every) if asked.compares else ("own", own)
                    tables = _tables(Path(place), *of)
                    made.write(asked, stem, experiment=experiment.name, runs=draft / RUNS, page=False, **tables)
                except ValueError as error:
                    failed.append(f"{section}.{output.name} of {experiment.name}: {error}")
    return failed


def _tables(place: Path, name: str, results: Mapping[str, Result]) -> dict[str, Path]:
    """Tables of the results' curves and pictures, made once."""
    tables = {kind: place / f"{name}-{kind}.csv" for kind in ("history", "pictures")}
    if not tables["history"].is_file():
        collect.write_csv(tables["history"], collect.history_frame(results))
        collect.write_csv(tables["pictures"], collect.picture_frame(results))
    return tables
