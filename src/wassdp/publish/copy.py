"""Finished results of a plan with the ledger, tables and figures that the workflow made of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from wassdp.files import write_bytes
from wassdp.ledger.claimed import STEM
from wassdp.pipeline import collect
from wassdp.pipeline.plan import Plan
from wassdp.publish import drawn, sets
from wassdp.publish.collected import refuse_other
from wassdp.publish.exchange import appearing
from wassdp.publish.index import FIGURE_SUFFIXES, TABLE_SUFFIXES
from wassdp.publish.written import listed, refuse_large, write

WHOLE_FILES = (
    *("ledger.md", "ledger.csv", "ledger.json", "runs.csv"),
    *(f"{STEM}.{suffix}" for suffix in FIGURE_SUFFIXES),
)


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
            after it was written or belongs to another run, the table of runs or the ledger is of other results, or a
            file is too large.
    """
    destination = target / plan.preset
    if destination.resolve() == results.resolve() or results.resolve().is_relative_to(destination.resolve()):
        raise ValueError(f"to = {str(target)!r}: must not be the results folder itself")
    found = sets.read(results, plan, published=target)
    files = _files(results, plan)
    missing = [*found.missing, *(name for name, path in files.items() if not path.is_file())]
    if missing and not partial:
        raise ValueError(f"{results}: {listed(missing)} missing; finish the runs, or publish without with --partial")
    refuse_large(files)
    # What is not finished snakemake may not be able to finish.
    merging = f", or let `wassdp publish --merge {results} --set {plan.preset}` draw what is finished"
    refuse_other(results, plan, found.results, instead=merging if partial else "")
    with appearing(destination) as (draft,):
        for name, path in files.items():
            if path.is_file():
                write_bytes(draft / name, path.read_bytes())
        if (table := draft / "runs.csv").is_file():
            # As text: a table that is published by either way has the same digits.
            collect.write_csv(table, drawn.short(pd.read_csv(table, dtype=str, keep_default_na=False)))
        write(draft, found, missing=missing)
    return destination, missing


def _files(results: Path, plan: Plan) -> dict[str, Path]:
    """Published name to file, of what was made of the runs."""
    names = []
    for experiment in plan.experiments:
        for figure in experiment.figures:
            names += [f"figures/{experiment.paper}/{figure.name}.{suffix}" for suffix in FIGURE_SUFFIXES]
        for table in experiment.tables:
            names += [f"tables/{table.name}.{suffix}" for suffix in TABLE_SUFFIXES]
    return {name: results / name for name in dict.fromkeys([*names, *WHOLE_FILES])}
