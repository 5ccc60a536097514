"""Which files the runs of a results folder read: ``data/NAME.json`` has their md5, and all runs are held to it.

Files that nobody has published may be exchanged for others, and nothing that Snakemake looks at tells it. Without a
check the seeds of one setting would read different records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from wassdp import data
from wassdp.files import read_object
from wassdp.result import Result


def place(results: Path, dataset: str) -> Path:
    """The manifest of a dataset in a results folder."""
    return results / "data" / f"{dataset}.json"


def read(path: Path) -> dict[str, str]:
    """File to md5, as a manifest has it; empty if there is none that can be read."""
    try:
        files = read_object(path)["files"]
        return {str(name): str(file["md5"]) for name, file in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def refuse_other_files(results: Path, datasets: Iterable[str]) -> None:
    """Refuse to read other files than the manifests in a results folder name.

    Raises:
        ValueError: a file has another md5 now.
        DatasetUnavailable: a file cannot be had.
    """
    for name in datasets:
        path = place(results, name)
        known = read(path)
        for file, md5 in data.checksums(name).items() if known else ():
            if known.get(file, md5) != md5:
                raise ValueError(
                    f"{name}/{file}: has md5 {md5[:8]}..., but {path} has {known[file][:8]}..., which other runs read; "
                    f"put that file back, or delete {path} to have all runs that read it computed again"
                )


def of_other_files(results: Path, found: Mapping[Path, Result]) -> list[str]:
    """Results of other files than those of the manifests beside them, a line for each dataset.

    A file that no manifest names is compared with what most of the results read.

    Args:
        results: the results folder.
        found: place to result.
    """
    read_by: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for path, result in found.items():
        for file, md5 in result.provenance.datasets.items():
            read_by[file][md5].append(path)
    named: dict[str, str] = {}
    others: dict[str, set[Path]] = defaultdict(set)
    for file, paths in sorted(read_by.items()):
        dataset, _, name = file.partition("/")
        manifest = place(results, dataset)
        own = read(manifest).get(name)
        right = own or max(paths, key=lambda md5: len(paths[md5]))
        for md5, group in paths.items():
            if md5 != right:
                told = f"{manifest} has" if own else "most results have"
                named.setdefault(dataset, f"{group[0]}: read {file} with md5 {md5[:8]}..., and {told} {right[:8]}...")
                others[dataset].update(group)
    return [
        line
        + (f" (and {len(others[dataset]) - 1} more read others)" if len(others[dataset]) > 1 else "")
        + f"; delete its folder, or {place(results, dataset)} for all runs that read it, to have them computed again"
        for dataset, line in named.items()
    ]
