"""What a results folder holds of a plan and cannot be used: named, set aside, and so computed again.

Snakemake asks whether a file is there, never whether it can be read. Before it looks, outcomes and results that were
cut short, edited or put into another run's folder are set aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from wassdp.pipeline import stored
from wassdp.result import load_outcome, load_result

ASIDE = ".damaged"
"""Added to the name of a file that is set aside. It is kept, since somebody may want to know what happened to it."""


def damaged(results: Path, specifications: Mapping[str, Mapping[str, Any]]) -> dict[Path, str]:
    """Outcomes and results that are there and cannot be used, each with the reason in one line.

    Args:
        results: the results folder.
        specifications: run id to specification, of all runs that count.
    """
    found: dict[Path, str] = {}
    restored = stored.restored(results)
    for run, spec in specifications.items():
        folder = results / "runs" / run
        load_own = partial(load_result, undigested=run in restored)
        digests = []
        for path, load in ((folder / "outcome.json", load_outcome), (folder / "result.json", load_own)):
            if not path.exists():
                continue
            try:
                record = load(path)
            except (ValueError, OSError) as error:
                found[path] = str(error)
                continue
            if record.run != run or record.spec != spec:
                found[path] = f"{path}: belongs to another run, {record.run}"
                continue
            digests.append(record.digest if path.name == "outcome.json" else getattr(record, "outcome", None))
        if len(set(digests)) == 2:
            path = folder / "result.json"
            found[path] = f"{path}: stems from another outcome than the one beside it"
    return found


def set_aside(found: Mapping[Path, str]) -> None:
    """Rename what `damaged` found, over what was set aside before under the same name."""
    for path in found:
        path.replace(path.with_name(path.name + ASIDE))
