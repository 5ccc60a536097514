"""Which files of a results folder are published, and the copying."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from wassdp.files import write_bytes, write_json, write_text
from wassdp.pipeline.plan import Plan
from wassdp.publish.exchange import appearing
from wassdp.publish.index import FIGURE_SUFFIXES, TABLE_SUFFIXES, readme
from wassdp.publish.origin import summary, working_tree
from wassdp.result import Result, load_result

LARGEST = 1_000_000
WHOLE_FILES = ("ledger.md", "ledger.csv", "ledger.json", "runs.csv")


def publish(results: Path, plan: Plan, target: Path, *, partial: bool = False) -> tuple[Path, list[str]]:
    """Copy the finished results of ``plan`` to ``target/<preset>``.

    Args:
        results: the results folder.
        plan: whose runs, figures and tables to publish.
        target: folder of all published results.
        partial: publish although something is missing; the index names it.

    Returns:
        The published folder, and what is missing from it.

    Raises:
        ValueError: something is missing and ``partial`` is false, a result breaks its schema, was changed
            after it was written or belongs to another run, or a file is too large.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", plan.preset):
        raise ValueError(f"preset = {plan.preset!r}: must be lower-case words joined by hyphens")
    destination = target / plan.preset
    if destination.resolve() == results.resolve() or results.resolve().is_relative_to(destination.resolve()):
        raise ValueError(f"to = {str(target)!r}: must not be the results folder itself")
    found = _results(results, plan)
    files, missing = _files(results, plan, found)
    if missing and not partial:
        raise ValueError(f"{results}: {_listed(missing)} missing; finish the runs, or publish without with --partial")
    if not found:
        raise ValueError(f"{results}: has no finished run of the plan {plan.preset}")
    large = [f"{name} ({path.stat().st_size / 1e6:.1f} MB)" for name, path in files.items() if _size(path) > LARGEST]
    if large:
        raise ValueError(f"{_listed(large)} too large to publish: at most {LARGEST / 1e6:g} MB a file")
    origin = summary(found, working_tree(results, target))
    with appearing(destination) as draft:
        for name, path in files.items():
            write_bytes(draft / name, path.read_bytes())
        write_json(draft / "plan.json", plan.model_dump(mode="json"))
        write_json(draft / "provenance.json", origin | {"missing": missing})
        write_text(draft / "README.md", readme(plan, found, files, missing, origin))
    return destination, missing


def _results(results: Path, plan: Plan) -> dict[str, Result]:
    found: dict[str, Result] = {}
    for row in plan.runs:
        path = results / "runs" / row.run / "result.json"
        if row.run in found or not path.is_file():
            continue
        result = load_result(path)
        if result.run != row.run or result.spec != row.spec:
            raise ValueError(f"{path}: belongs to run {result.run}, not to {row.run} ({row.name})")
        found[row.run] = result
    return found


def _files(results: Path, plan: Plan, found: Mapping[str, Result]) -> tuple[dict[str, Path], list[str]]:
    """Published name to file, and what should be there and is not."""
    names = [f"runs/{run}/result.json" for run in found]
    missing = [f"run {row.run} ({row.name})" for row in plan.runs if row.run not in found]
    for experiment in plan.experiments:
        for figure in experiment.figures:
            names += [f"figures/{experiment.paper}/{figure.name}.{suffix}" for suffix in FIGURE_SUFFIXES]
        for table in experiment.tables:
            names += [f"tables/{table.name}.{suffix}" for suffix in TABLE_SUFFIXES]
    names += WHOLE_FILES
    files = {name: results / name for name in dict.fromkeys(names)}
    missing += [name for name, path in files.items() if not path.is_file()]
    return {name: path for name, path in files.items() if path.is_file()}, list(dict.fromkeys(missing))


def _size(path: Path) -> int:
    return path.stat().st_size


def _listed(items: Sequence[str], most: int = 5) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more + (" are" if len(items) > 1 else " is")
