"""Whether the tables in a results folder were collected from the results that stand there.

Plain publishing copies tables and packs results. After a change of the configuration, a kill or a failed run, those may
be of different runs or budgets, and a reader could not tell.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from wassdp.files import read_object
from wassdp.ledger.rows import EPSILON, as_json, ledger
from wassdp.pipeline import collect
from wassdp.pipeline.plan import Plan
from wassdp.result import Result

RUNS = ("run", "experiment", "label", "seed", "delta", "code")
LEDGER = (
    *("run", "experiment", "label", "seed", "kind", "accountant", EPSILON, "epsilon_error", "delta", "records"),
    *("headline_value", "seeds_present"),
)
"""What is compared of a row. Words that explain a figure may be those of an earlier version."""
BUDGETS = ("epsilon/", "delta/")
Row = Mapping[Any, Any]
Cells = list[tuple[Any, ...]]


def refuse_other(results: Path, plan: Plan, found: Mapping[str, Result], *, instead: str = "") -> None:
    """Refuse a table of runs or a ledger that is not of these results; one that is missing is none of this.

    Args:
        results: the results folder.
        plan: whose runs.
        found: run to result, of all that are published.
        instead: what else helps than to let the workflow collect them again, in words.

    Raises:
        ValueError: one line with the file and a run whose rows are others.
    """
    amended = {run: collect.amended(result) for run, result in found.items()}
    names = {row.run: row.title for row in plan.runs}
    for path, wanted, there in _tables(results, plan, amended):
        more, fewer = Counter(there), Counter(wanted)
        differing = [row[0] for row in (*(fewer - more), *(more - fewer))]
        if not differing:
            continue
        run = differing[0]
        called = f"run {run} ({names[run]})" if run in names else f"run {run}"
        if run not in {row[0] for row in there}:
            reason = f"has no {called}, which is finished"
        elif run not in found:
            reason = f"has {called}, of which no result of this plan is here"
        else:
            reason = f"has other figures of {called} than its result"
        raise ValueError(f"{path}: {reason}; let snakemake collect the results first{instead}")


def _tables(results: Path, plan: Plan, found: Mapping[str, Result]) -> Iterator[tuple[Path, Cells, Cells]]:
    """Each file that is there, with the rows that it should have and those that it has."""
    metrics = {name for result in found.values() for name in result.metrics}
    ledger_frame = ledger(plan, found)
    for name, frame, columns in (
        ("runs.csv", collect.run_frame(plan, found), {*RUNS, *metrics}),
        ("ledger.csv", ledger_frame, LEDGER),
    ):
        if (path := results / name).is_file():
            yield path, *_cells(_written(frame), _text(path, path.read_bytes()), columns)
    if (path := results / "ledger.json").is_file():
        yield path, *_cells(_rows(json.loads(as_json(ledger_frame, preset=plan.preset))), _kept(path), LEDGER)


def _cells(wanted: list[Row], there: list[Row], columns: Collection[str]) -> tuple[Cells, Cells]:
    """Both sides' rows with these columns and those of budgets that either has; its run begins each."""
    budgets = {name for side in (wanted, there) for row in side[:1] for name in row if name.startswith(BUDGETS)}
    names = ["run", *sorted({*columns, *budgets} - {"run"})]
    one, two = ([tuple(row.get(name, "") for name in names) for row in side] for side in (wanted, there))
    return one, two


def _written(frame: pd.DataFrame) -> list[Row]:
    """The rows of a frame as a CSV file has them."""
    return _text(Path("a frame"), frame.to_csv(index=False).encode())


def _text(path: Path, content: bytes) -> list[Row]:
    try:
        frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    except ValueError as error:
        raise ValueError(f"{path}: is no table ({str(error).splitlines()[0]})") from None
    return list(frame.to_dict("records"))


def _kept(path: Path) -> list[Row]:
    try:
        rows = _rows(read_object(path))
        hash(tuple(cell for row in rows for cell in row.values()))  # a list is none of a ledger's cells
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(f"{path}: is no ledger ({type(error).__name__}: {error})") from None
    return rows


def _rows(content: Mapping[str, Any]) -> list[Row]:
    """The rows of a ledger's JSON, its texts in their places."""
    texts = content["texts"]
    columns, rows = content["columns"], content["rows"]
    return [
        {name: texts[name][cell] if name in texts else cell for name, cell in zip(columns, row, strict=False)}
        for row in rows
    ]
