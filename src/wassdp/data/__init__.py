"""Datasets, one file of `sets` each; the file's name is the name in configurations. Importing them imports no torch.

Each file offers ``DATASET``, a `wassdp.data.base.Dataset`, and one of

- ``load(folder=None, ...)`` for data that are read: a `Splits`, or a `Split` for each domain;
- ``sample(generator, ...)`` for data that are drawn from a `numpy.random.Generator`.

`wassdp.data.base` states the conventions on shapes and types. Files are looked for in the data folder
(``WASSDP_DATA``, else ``wassdp`` in the user's cache), then in the mirror folders (``WASSDP_MIRROR``), then
downloaded; none is used before its md5 has been checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wassdp.data import storage
from wassdp.data.base import Dataset, DatasetUnavailable, Split, Splits
from wassdp.data.storage import Manifest
from wassdp.plugins import Plugins

__all__ = [
    "SETS",
    "Dataset",
    "DatasetUnavailable",
    "Manifest",
    "Split",
    "Splits",
    "checksums",
    "descriptor",
    "fetch",
    "load",
    "manifest",
    "names",
    "published_checksums",
]
SETS = Plugins("wassdp.data.sets", "dataset")


names = SETS.names


def descriptor(name: str) -> Dataset:
    """What is known about a dataset without loading it.

    Raises:
        ValueError: there is no such dataset.

    >>> descriptor("mnist").counts["train"]
    60000
    """
    described: Dataset = SETS.offer(name, "DATASET")
    return described


def load(name: str, *arguments: Any, **options: Any) -> Any:
    """A dataset's records, as its own ``load`` gives them: `Splits`, or a `Split` for each domain.

    Raises:
        DatasetUnavailable: a file cannot be had.
        ValueError: there is no such dataset.
    """
    return SETS.offer(name, "load")(*arguments, **options)


def fetch(name: str, folder: Path | None = None, *, only: Iterable[str] | None = None) -> Manifest:
    """Have a dataset's files in the data folder, checked; nothing to do for data that need no file.

    Args:
        name: the dataset.
        folder: the data folder; None for the usual one.
        only: paths of the files wanted; None for those that loading needs.

    Raises:
        DatasetUnavailable: a file cannot be had, or the data folder cannot be written.
        ValueError: there is no such dataset, or no such file in it.
    """
    return storage.fetch(descriptor(name), folder, only=only)


def checksums(name: str, folder: Path | None = None, *, only: Iterable[str] | None = None) -> dict[str, str]:
    """md5 of each file that a load uses, by its path under the dataset's folder; empty for drawn data.

    Data that come with a package have an md5 of their content instead.

    Args:
        name: the dataset.
        folder: the data folder; None for the usual one.
        only: paths of the files wanted; None for those that loading needs.

    Raises:
        DatasetUnavailable: a file cannot be had.
        ValueError: there is no such dataset, or no such file in it.
    """
    if descriptor(name).origin == "embedded":
        return dict(SETS.offer(name, "checksums")())
    return fetch(name, folder, only=only).checksums()


def published_checksums(name: str, folder: Path | None = None) -> dict[str, str]:
    """Those of `checksums` that are published: known without the files, which are refused if they differ.

    Any other tells of the records: who knows all but one can try what gives the same md5. Arguments and errors as of
    `checksums`.
    """
    published = _published(descriptor(name))
    return {path: md5 for path, md5 in checksums(name, folder).items() if path in published}


def _published(dataset: Dataset) -> set[str]:
    """Paths of the files whose md5 stands in the descriptor, as somebody else has published it."""
    return {file.path for file in dataset.files if file.published and file.md5 is not None}


def manifest(name: str, folder: Path | None = None) -> dict[str, Any]:
    """Files, md5 and terms of a dataset, as ``results/data/NAME.json`` holds them.

    The same for the same files: no time, no absolute path, and not where this fetch found them.

    Args:
        name: the dataset.
        folder: the data folder; None for the usual one.

    Raises:
        DatasetUnavailable: a file cannot be had, or the data folder cannot be written.
        ValueError: there is no such dataset.
    """
    dataset, entries = descriptor(name), fetch(name, folder).entries
    published = _published(dataset)
    return {
        "dataset": dataset.name,
        **{key: getattr(dataset, key) for key in ("title", "licence", "source", "integrity")},
        "files": {
            path: {
                "md5": md5,
                "bytes": entries[path].bytes if path in entries else None,
                "published": path in published,
            }
            for path, md5 in sorted(checksums(name, folder).items())
        },
    }
