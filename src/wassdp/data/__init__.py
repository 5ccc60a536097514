"""Datasets, one file each; the file's name is the name in configurations. Importing them imports no torch.

Each file offers ``DATASET``, a `wassdp.data.base.Dataset`, and one of

- ``load(folder=None, ...)`` for data that are read: a `Splits`, or a `Split` for each domain;
- ``sample(generator, ...)`` for data that are drawn from a `numpy.random.Generator`.

`wassdp.data.base` states the conventions on shapes and types. Files are looked for in the data folder
(``WASSDP_DATA``, else ``wassdp`` in the user's cache), then in the mirror folders (``WASSDP_MIRROR``), then
downloaded; none is used before its md5 has been checked.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from wassdp import checks
from wassdp.data import _storage
from wassdp.data._storage import Manifest
from wassdp.data.base import Dataset, DatasetUnavailable, Split, Splits

__all__ = [
    "Dataset",
    "DatasetUnavailable",
    "Manifest",
    "Split",
    "Splits",
    "checksums",
    "descriptor",
    "fetch",
    "names",
]


def names() -> list[str]:
    """Names of all datasets.

    >>> "mnist" in names()
    True
    """
    return [name for name in _files() if hasattr(_module(name), "DATASET")]


def descriptor(name: str) -> Dataset:
    """What is known about a dataset without loading it.

    Raises:
        ValueError: there is no such dataset.

    >>> descriptor("mnist").counts["train"]
    60000
    """
    found = getattr(_module(name), "DATASET", None) if name in _files() else None
    if found is None:
        checks.one_of("dataset", name, names())
    assert isinstance(found, Dataset)
    return found


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
    return _storage.fetch(descriptor(name), folder, only=only)


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
        return dict(_module(name).checksums())
    return fetch(name, folder, only=only).checksums()


def _files() -> list[str]:
    return sorted(
        found.name for found in pkgutil.iter_modules(__path__) if found.name[0] != "_" and found.name != "base"
    )


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")
