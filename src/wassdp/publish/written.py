"""What every published folder has of itself: packed results, plan, provenance and README."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wassdp.files import RUNS, pack_table, read_object, write_bytes, write_json, write_text
from wassdp.ledger import files as ledger_files
from wassdp.pipeline import plan as plans
from wassdp.pipeline import provenance, stored
from wassdp.publish.drawn import draw
from wassdp.publish.index import readme
from wassdp.publish.origin import working_tree
from wassdp.publish.sets import ResultSet

OPEN_TABLE = 100_000
"""Bytes: data of a figure that are larger are kept packed, which `pandas.read_csv` reads as they are."""


def write(draft: Path, found: ResultSet, *, missing: Sequence[str], made: Mapping[str, Any]) -> None:
    """Write it, beside the ledger, tables and figures that are there.

    Args:
        draft: the folder to be.
        found: its set.
        missing: what it lacks, in words.
        made: when and by what code ledger, tables and figures were made.

    Raises:
        ValueError: a file is too large.
    """
    for name, archive in stored.packed(found.raw).items():
        write_bytes(draft / name, archive)
    for name in (RUNS, ledger_files.OWN):
        pack_table(draft, name)
    for path in draft.glob("figures/*/*.csv"):
        if path.stat().st_size > OPEN_TABLE:
            pack_table(path.parent, path.name)
    plans.keep(draft / plans.KEPT, found.plan)
    origin = {"missing": missing, "made_again": made, "parts": found.parts}
    write_json(draft / stored.PUBLISHED, origin)
    files = {str(path.relative_to(draft)): path for path in sorted(draft.rglob("*")) if path.is_file()}
    write_text(draft / "README.md", readme(found, files, missing, made))
    _refuse_large(files)


def write_drawn(
    draft: Path, found: ResultSet, folder: Path, *, pages: bool = False, partial: bool = False
) -> list[str]:
    """Write a whole published folder, its ledger, tables and figures made by today's code.

    Args:
        draft: the folder to be.
        found: its set.
        folder: its place.
        pages: figures and tables stay as they are there, with what is said of them.
        partial: leave out figures and tables that lack a run.

    Returns:
        What is missing, in words.

    Raises:
        ValueError: a figure or table cannot be made, or a file is too large.
    """
    missing = found.missing + draw(draft, found, folder, pages=pages, partial=partial)
    tree = working_tree(folder.parent, folder.parent)
    made = {"at": provenance.now(), "commit": tree["commit"], "changed_files": tree["changed_files"]}
    if pages:
        before = read_object(folder / stored.PUBLISHED).get("made_again") or {}
        made["figures"] = before.get("figures", {key: before[key] for key in ("at", "commit") if key in before})
    write(draft, found, missing=missing, made=made)
    return missing


def _refuse_large(files: Mapping[str, Path]) -> None:
    sizes = {name: path.stat().st_size for name, path in files.items()}
    large = [f"{name} ({size / 1e6:.1f} MB)" for name, size in sizes.items() if size > stored.LARGEST]
    if large:
        raise ValueError(f"{listed(large)} too large to publish: at most {stored.LARGEST / 1e6:g} MB a file")


def listed(items: Sequence[str], most: int = 5) -> str:
    """The first items in words, with the verb that they need."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more + (" are" if len(items) > 1 else " is")
