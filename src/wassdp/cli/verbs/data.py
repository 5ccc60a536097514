"""``wassdp data``: list the datasets, or have one in the data folder, checked."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wassdp.files import write_json

if TYPE_CHECKING:
    from wassdp import data

HELP = "List the datasets, or fetch and check one."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser(
        "list", help="name, size, counts, licence, source and presence (by names and sizes; fetch checks the md5)"
    )
    listing.add_argument("--json", action="store_true", help="as JSON")
    fetching = actions.add_parser("fetch", help="have a dataset in the data folder, every file checked")
    fetching.add_argument("name", metavar="NAME", help="name of the dataset, as in configurations")
    fetching.add_argument("--manifest", type=Path, help="write files, md5 and terms to this JSON file")
    for action in (listing, fetching):
        action.add_argument("--folder", type=Path, help="data folder (default: WASSDP_DATA, else the user's cache)")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    if arguments.action == "list":
        _list(arguments.folder, as_json=arguments.json)
    else:
        _fetch(arguments.name, arguments.folder, arguments.manifest)
    return 0


def _list(folder: Path | None, *, as_json: bool) -> None:
    from wassdp import data

    summaries = [_summary(data.descriptor(name), folder) for name in data.names()]
    if as_json:
        print(json.dumps(summaries, indent=1))
        return
    rows = [("name", "size", "presence", "examples", "licence", "source")]
    for item in summaries:
        size = "-" if item["bytes"] is None else f"{item['bytes'] / 1e6:.1f} MB"
        counts = " ".join(f"{split}={count}" for split, count in item["counts"].items()) or "-"
        rows.append((item["name"], size, item["presence"], counts, item["licence"], item["source"]))
    widths = [min(40, max(len(row[column]) for row in rows)) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _summary(dataset: data.Dataset, folder: Path | None) -> dict[str, Any]:
    from wassdp.data import storage

    return {
        **{key: getattr(dataset, key) for key in ("name", "title", "task", "origin")},
        "bytes": dataset.bytes if dataset.files else None,
        "counts": dict(dataset.counts),
        **{key: getattr(dataset, key) for key in ("licence", "source", "citation", "integrity")},
        "presence": storage.presence(dataset, folder),
    }


def _fetch(name: str, folder: Path | None, target: Path | None) -> None:
    from wassdp import data
    from wassdp.cli import paths

    dataset = data.descriptor(name)
    if folder is not None:
        paths.new_folder("folder", folder)
    if target is not None:
        paths.new_file("manifest", target)
    manifest = data.fetch(name, folder)
    for path, entry in manifest.entries.items():
        print(f"{entry.md5}  {dataset.folder}/{path}  ({entry.bytes} bytes, {entry.source})")
    if not dataset.files:
        print(f"{name}: {dataset.origin}, needs no file")
    if target is not None:
        write_json(target, data.manifest(name, folder))
