"""Finished results of a plan with the ledger, tables and figures that are made of them.

What the workflow made of them is not copied: after a change of the configuration, a kill or a failed run it may be of
other runs or budgets, and a reader could not tell.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wassdp.pipeline.plan import Plan
from wassdp.publish import sets
from wassdp.publish.exchange import appearing
from wassdp.publish.settings import distinct
from wassdp.publish.written import listed, write_drawn


def publish(results: Path, plan: Plan, target: Path, *, partial: bool = False) -> tuple[Path, list[str]]:
    """Write the finished results of ``plan`` to ``target/<preset>``.

    Args:
        results: the results folder.
        plan: whose runs, figures and tables to publish.
        target: folder of all published results.
        partial: publish although a run is not finished, or a figure or table cannot be made without it; the index
            names what is missing.

    Returns:
        The published folder, and what is missing from it.

    Raises:
        ValueError: the folder is there and no published one, something is missing and ``partial`` is false, a result
            breaks its schema, was changed after it was written or belongs to another run, two runs of one seed cannot
            be told apart, a figure or table cannot be made, or a file is too large.
    """
    destination = target / plan.preset
    if destination.resolve() == results.resolve() or results.resolve().is_relative_to(destination.resolve()):
        raise ValueError(f"to = {str(target)!r}: must not be the results folder itself")
    found = sets.read(results, plan, published=target)
    if found.missing and not partial:
        words = listed(found.missing)
        raise ValueError(f"{results}: {words} missing; finish the runs, or publish without with --partial")
    found = replace(found, plan=distinct(found.plan))
    with appearing(destination) as (draft,):
        missing = write_drawn(draft, found, destination, partial=partial)
    return destination, missing
