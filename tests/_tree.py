"""Small results folders for tests, made through the schema models."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd

from wassdp.accounting.guarantee import Guarantee
from wassdp.files import write_bytes, write_text
from wassdp.ledger.rows import COLUMNS, EPSILON
from wassdp.pipeline import plan as plans
from wassdp.pipeline.collect import write_csv
from wassdp.pipeline.plan import Plan, PlannedExperiment, PlannedOutput, PlannedRun
from wassdp.result import Provenance, Result, curve, save
from wassdp.runs import identify

STARTED = "2026-01-02T03:04:05+00:00"
STARTED_SECONDS = 1767323045.0
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000" + "1f15c489") + bytes(40)


def spec(sigma: float, seed: int, kind: str = "dpsgd") -> dict[str, Any]:
    parameters = {"dataset": "mnist", "model": {"name": "mlp"}, "noise": {"sigma": sigma}, "layers": [8, 4]}
    return {"kind": kind, "parameters": parameters, "seed": seed}


def planned(sigma: float, seed: int, experiment: str = "training", paper: str = "wasserstein-dp") -> PlannedRun:
    value = spec(sigma, seed)
    return PlannedRun(
        run=identify(value),
        experiment=experiment,
        paper=paper,
        name=f"{experiment} noise.sigma={sigma} seed={seed}",
        kind=value["kind"],
        phase="train",
        seed=seed,
        spec=value,
    )


def guarantee(kind: Any, accountant: str, epsilon: float | None, *, source: str = "a test") -> Guarantee:
    return Guarantee(
        accountant=accountant,
        kind=kind,
        epsilon=epsilon,
        bounded=epsilon is not None,
        delta=1e-5,
        adjacency="add-remove",
        sampling="poisson",
        assumptions=("batches are really Poisson sampled",),
        source=source,
    )


def provenance(code: str = "0" * 16) -> Provenance:
    """Where a result comes from: always the same, but for the code."""
    return Provenance(
        code=code,
        commit="c" * 40,
        versions={"python": "3.11.2", "torch": "2.13.0"},
        datasets={},
        device="cpu",
        machine="x86_64, 2 processors",
        started=STARTED,
        seconds=12.5,
        peak_memory_mib=300.0,
    )


def result(row: PlannedRun, *, epochs: int = 3, code: str = "0" * 16, shift: float = 0.0) -> Result:
    """A result whose figures follow from its specification, with accuracy curves and a budget per epoch."""
    sigma = row.spec["parameters"]["noise"]["sigma"]
    draw = random.Random(row.run)
    steps = range(1, epochs + 1)
    accuracy = [0.5 + 0.4 * step / epochs - 0.01 * sigma + 0.01 * draw.random() + shift for step in steps]
    budget = [step**0.5 / sigma for step in steps]
    return Result(
        run=row.run,
        spec=row.spec,
        guarantees=(
            guarantee("upper", "pld", budget[-1]),
            guarantee("published", "renyi", 0.5 * budget[-1]),
            guarantee("upper", "hopeless", None),
        ),
        delta=1e-5,
        metrics={"accuracy": accuracy[-1], "loss": 1 - accuracy[-1]},
        history=(
            *curve("accuracy", "epoch", steps, accuracy),
            *curve("epsilon/upper/pld", "epoch", steps, budget),
            *curve("epsilon/upper/hopeless", "epoch", steps, [1.0] * (epochs - 1) + [float("inf")]),
            *curve("renyi", "order", [1.5, 2.0, 4.0], [0.1, 0.2, 0.4]),
        ),
        provenance=provenance(code),
        accounting_code="1" * 16,
    )


def history_lines(value: Result, *, until: int, start: float = STARTED_SECONDS + 1) -> str:
    """What such a run records on its way, up to epoch ``until``."""
    points = [point for point in value.history if point.metric == "accuracy"][:until]
    return "".join(
        json.dumps(
            {
                "time": start + index,
                "axis": point.axis,
                "position": point.position,
                "metrics": {point.metric: point.value},
            }
        )
        + "\n"
        for index, point in enumerate(points)
    )


def make(
    folder: Path,
    *,
    sigmas: tuple[float, ...] = (1.0, 2.0),
    seeds: tuple[int, ...] = (0, 1),
    finished: bool = True,
    **options: Any,
) -> Plan:
    """A results folder with one experiment, its figures, tables, ledger and CSV files."""
    rows = tuple(planned(sigma, seed) for sigma in sigmas for seed in seeds)
    plan = Plan(
        preset="quick",
        runs=rows,
        experiments=(
            PlannedExperiment(
                name="training",
                paper="wasserstein-dp",
                kind="dpsgd",
                accountants=("pld", "renyi", "hopeless"),
                figures=(PlannedOutput(name="figure-2", kind="budget_over_epochs", options={}),),
                tables=(PlannedOutput(name="table-1", kind="lowest_budget", options={"seeds": 1}),),
            ),
        ),
        excluded=(),
    )
    plans.write(folder / "plan.json", plan)
    if finished:
        for row in rows:
            finish(folder, row, **options)
        draw(folder)
    return plan


def finish(folder: Path, row: PlannedRun, **options: Any) -> Result:
    """Let a run of ``folder`` end."""
    value = result(row, **options)
    place = folder / "runs" / row.run
    write_text(place / "run.log", "done\n")
    write_text(place / "outcome.json", json.dumps({"provenance": value.provenance.model_dump()}))
    save(place / "result.json", value)
    return value


def draw(folder: Path, content: str = "<svg xmlns='http://www.w3.org/2000/svg'/>") -> None:
    """Make the figures, tables and ledger of a folder."""
    place = folder / "figures" / "wasserstein-dp"
    write_text(place / "figure-2.svg", content)
    write_bytes(place / "figure-2.png", PNG)
    write_text(place / "figure-2.csv", "x,y\n1,2\n")
    for suffix in ("md", "csv", "tex"):
        write_text(folder / "tables" / f"table-1.{suffix}", "a table\n")
    write_text(folder / "ledger.md", "# Ledger\n\n| run | epsilon |\n| --- | --- |\n| a | 1.0 |\n| b | 2.0 |\n")
    budget = dict.fromkeys(COLUMNS, "") | {"paper": "wasserstein-dp", "experiment": "training", "kind": "upper"}
    rows = [budget | {"label": label, EPSILON: 1.0, "delta": 1e-5} for label in ("a", "b")]
    write_csv(folder / "ledger.csv", pd.DataFrame(rows))
    write_text(folder / "ledger.json", "[]\n")
    write_text(folder / "claimed-attacked-proven.svg", content)
    write_bytes(folder / "claimed-attacked-proven.png", PNG)
    write_text(folder / "claimed-attacked-proven.csv", "setting,kind\n")
    write_text(folder / "runs.csv", "run\na\n")
    write_text(folder / "history.csv", "run\n")
