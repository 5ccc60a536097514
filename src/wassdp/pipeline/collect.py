"""Gather results into three tables: a row per run, a row per point of a curve, and a row per sheet of pictures."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from wassdp import data
from wassdp.accounting.guarantee import Guarantee
from wassdp.data import held_out
from wassdp.fairness.neighbours import groups_of
from wassdp.files import write_text
from wassdp.labels import flat
from wassdp.pipeline import single_sums
from wassdp.pipeline.plan import Plan
from wassdp.pipeline.stored import load
from wassdp.result import Result, is_control
from wassdp.selection import NOT_RECORDED, Compared

ONE_SENSITIVITY = (
    "the noise was scaled by the paper's published sensitivity, and these figures read that one alone; by this "
    "project's tight one, which was not accounted here, the same runs prove less"
)


def results(plan: Plan, folder: Path, *, partial: bool = False) -> dict[str, Result]:
    """Run id to result, for every run of ``plan`` in ``folder``.

    Args:
        plan: the run table.
        folder: the results folder, or a published one.
        partial: leave out runs without a result.

    Raises:
        ValueError: one line: a run is missing and ``partial`` is false; a result is not what was written
            (`wassdp.result`), or belongs to another run.
    """
    rows = {run.run: run for run in reversed(plan.runs)}
    loaded = load(folder, list(dict.fromkeys(run.run for run in plan.runs)))
    for run in plan.runs:
        path = folder / "runs" / run.run / "result.json"
        if run.run in loaded and loaded[run.run].spec != rows[run.run].spec:
            raise ValueError(f"{path}: is of another specification than that of {run.run} ({run.title})")
        if run.run not in loaded and not partial:
            raise ValueError(f"run {run.run} ({run.title}): has no {path}; ask for a partial table to go on without it")
    return {run: amended(loaded[run]) for run in dict.fromkeys(row.run for row in plan.runs) if run in loaded}


def amended(result: Result) -> Result:
    """``result`` as it would be recorded today.

    That of a control is without the budgets of the run it stands beside, budgets under the paper's sensitivity alone
    say so, those of fair learning name the group inside which a record is replaced, and upper bounds of exact sums
    that were rounded say that (`single_sums`): older results hold the first, and lack the others.
    """
    if is_control(result):
        history = tuple(point for point in result.history if not point.metric.startswith("epsilon/"))
        return result.model_copy(update={"guarantees": (), "delta": None, "history": history})
    parameters = result.spec["parameters"]
    notes = {"a neighbour": groups_of(result.spec["kind"], parameters)}
    privacy = parameters.get("privacy")
    # Without a distance in the objective the two sensitivities are the same.
    if isinstance(privacy, Mapping) and privacy.get("bound") == "published" and parameters.get("alpha") != 0:
        notes["sensitivity"] = ONE_SENSITIVITY
    of_upper = notes | ({single_sums.SAID: single_sums.NOTE} if single_sums.rounded(result) else {})
    noted = tuple(_noted(item, of_upper if item.kind == "upper" else notes) for item in result.guarantees)
    return result.model_copy(update={"guarantees": noted})


def _noted(item: Guarantee, notes: Mapping[str, str]) -> Guarantee:
    """``item`` with those of ``notes``, by a word that tells them, of which it says nothing yet."""
    lacking = [note for word, note in notes.items() if note and not any(word in said for said in item.assumptions)]
    return item.model_copy(update={"assumptions": (*item.assumptions, *lacking)}) if lacking else item


def records(result: Result) -> int | None:
    """Number of records that a run protects; None where it is not known."""
    parameters = result.spec["parameters"]
    setting = parameters.get("setting")
    if "records" in result.metrics:
        return int(result.metrics["records"])
    if isinstance(setting, Mapping) and "records" in setting:
        return int(setting["records"])
    if result.spec["kind"] == "generation":  # every image of the training split
        name = parameters["dataset"]
        return held_out.trained_on(name, data.descriptor(name).counts["train"], parameters.get("judged_on", "test"))
    return int(parameters["records"]) if "records" in parameters else None


def run_frame(plan: Plan, finished: Mapping[str, Result]) -> pd.DataFrame:
    """One row per run and experiment.

    Columns: run, experiment, paper, name, label and its parts problem, method and privacy (`wassdp.labels`), kind,
    seed, selection (`wassdp.selection`), ``compared.<what>`` (`compared`), ``parameters.<dotted key>``, metrics by
    their names, delta, ``delta_times_records`` (where their number is known); of each budget
    ``epsilon/<kind>/<accountant>`` (infinite where unbounded), and in the same way its delta, adjacency, sampling and
    assumptions; code, device, seconds, peak_memory_mib.
    """
    rows = []
    experiments = {experiment.name: experiment for experiment in plan.experiments}
    for planned in plan.runs:
        result = finished.get(planned.run)
        if result is None:
            continue
        experiment = experiments.get(planned.experiment)
        row: dict[str, Any] = {
            **{key: getattr(planned, key) for key in ("run", "experiment", "paper", "name", "label")},
            **{key: getattr(planned, key) or math.nan for key in ("problem", "method", "privacy")},
            "kind": planned.kind,
            "seed": "system" if planned.seed is None else planned.seed,
            "selection": (experiment.selection if experiment else None) or NOT_RECORDED,
        }
        if experiment is not None and experiment.compared is not None:
            row |= compared(experiment.compared, planned.spec["parameters"], result.metrics)
        row |= {f"parameters.{key}": value for key, value in flat(planned.spec["parameters"]).items()}
        row |= result.metrics
        row["delta"] = result.delta
        known = records(result)
        row["delta_times_records"] = math.nan if known is None or result.delta is None else known * result.delta
        row |= {f"epsilon/{item.label}": item.value for item in result.guarantees}
        for item in result.guarantees:
            row |= {f"{key}/{item.label}": getattr(item, key) for key in ("delta", "adjacency", "sampling")}
            row[f"assumptions/{item.label}"] = "; ".join(item.assumptions) or math.nan
        row |= {
            "code": result.provenance.code,
            "device": result.provenance.device,
            "seconds": round(result.provenance.seconds, 3),
            "peak_memory_mib": round(result.provenance.peak_memory_mib, 1),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def compared(place: Mapping[str, Any], parameters: Mapping[str, Any], metrics: Mapping[str, float]) -> dict[str, Any]:
    """Where a run stands in a comparison of methods, as columns ``compared.<what>``: budget asked for, and score."""
    chosen = Compared.model_validate(place)
    asked = flat(parameters).get(chosen.epsilon, math.nan) if chosen.epsilon else math.nan
    facts = chosen.model_dump(include={"task", "problem", "method", "releases_nothing", "public"})
    facts |= {"epsilon": asked, "objective": chosen.objective.describe(), "score": chosen.objective.value(metrics)}
    return {f"compared.{name}": value for name, value in facts.items()}


def history_frame(finished: Mapping[str, Result]) -> pd.DataFrame:
    """One row per point of a curve: run, metric, axis, position, value (infinite where unbounded)."""
    rows = [
        (run, point.metric, point.axis, point.position, float("inf") if point.value is None else point.value)
        for run, result in finished.items()
        for point in result.history
    ]
    return pd.DataFrame(rows, columns=["run", "metric", "axis", "position", "value"])


def picture_frame(finished: Mapping[str, Result]) -> pd.DataFrame:
    """One row per sheet of pictures: run, name, png (base64 text). Apart from the runs, which are read by people."""
    rows = [(run, name, text) for run, result in finished.items() for name, text in result.pictures.items()]
    return pd.DataFrame(rows, columns=["run", "name", "png"])


def write_csv(path: Path, frame: pd.DataFrame) -> None:
    """Write a frame as CSV, whole or not at all."""
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False, lineterminator="\n")
    write_text(path, buffer.getvalue())
