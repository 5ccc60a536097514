"""What every dataset shares: its descriptor and the arrays that loading it gives.

Conventions, kept by every file of `wassdp.data`:

- images are uint8: grey ones (n, height, width), colour ones (n, channel, height, width) in the order red,
  green, blue; values 0 to ``Dataset.maximum``;
- features and tables are float32, (n, columns);
- labels are int64 from 0 upwards, (n,) unless the dataset says otherwise;
- which records train is as published, or by their places alone (`wassdp.data.by_place`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wassdp import checks

Origin = Literal["files", "embedded", "synthetic"]
ORIGINS = ("files", "embedded", "synthetic")


class DatasetUnavailable(OSError):  # noqa: N818 -- reads as what happened
    """A dataset cannot be had here; the message names what is missing and where to put it."""


@dataclass(frozen=True, kw_only=True)
class File:
    """One file of a dataset.

    Args:
        path: its place under the dataset's folder, with forward slashes.
        md5: checksum that it must have; None if nobody has published the file, in which case the checksum of
            the first use is recorded beside it and later uses must agree.
        bytes: its size, if known.
        urls: where to download it, in this order.
        published: whether ``md5`` comes from the dataset's publisher or a well-known library, rather than from
            the copy this project was written with.
        optional: not needed to load the dataset (documentation, extra data); fetched only if asked for by path.
        aliases: other places under a mirror's dataset folder where the same bytes may lie.
        pieces: files under a mirror's dataset folder from which ``Dataset.restore`` rebuilds this one.
    """

    path: str
    md5: str | None
    bytes: int | None = None
    urls: tuple[str, ...] = ()
    published: bool = True
    optional: bool = False
    aliases: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        parts = PurePosixPath(self.path)
        if parts.is_absolute() or ".." in parts.parts or not parts.name:
            raise ValueError(f"path = {self.path!r}: must be relative, without '..'")
        if self.md5 is not None and (len(self.md5) != 32 or set(self.md5) - set("0123456789abcdef")):
            raise ValueError(f"md5 = {self.md5!r}: must be 32 lower-case hex digits")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def expected(self) -> str:
        """Name, md5 and size in words."""
        size = f", {self.bytes} bytes" if self.bytes is not None else ""
        return f"{self.name} (md5 {self.md5 or 'recorded at first use'}{size})"


@dataclass(frozen=True, kw_only=True)
class Archive:
    """A published archive (.zip, .tar.gz) that holds a dataset's files under their own last names."""

    url: str
    md5: str | None
    bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """What is known about a dataset without loading it.

    Args:
        name: file name in `wassdp.data`, and the name in configurations.
        title: name in prose.
        short: name in figures and tables; empty: the title.
        task: what it is used for.
        origin: ``files`` (read from disk), ``embedded`` (inside an installed package), ``synthetic`` (drawn).
        counts: examples per split or domain; empty for synthetic data.
        class_counts: training examples of each class, where methods treat labels as public; empty elsewhere.
        shape: shape of one example; empty if it depends on an argument.
        classes: number of classes; None if there are none.
        maximum: largest value of an image's pixel (the smallest is 0); None for other data.
        sensitive: names of the protected attributes that its records can be read with, the usual one first.
        licence: terms commonly stated for it.
        source: its page.
        citation: what to cite.
        folder: its folder under the data folder and under a mirror.
        files: the files that it consists of.
        archive: an archive to take missing files from.
        restore: (file, mirror's dataset folder) to bytes, rebuilding ``file`` from its pieces.
        integrity: what its checksums rest on.
        instructions: how to obtain files that cannot be downloaded.
    """

    name: str
    title: str
    task: str
    origin: Origin
    counts: Mapping[str, int]
    shape: tuple[int, ...]
    classes: int | None
    licence: str
    source: str
    citation: str
    short: str = ""
    class_counts: tuple[int, ...] = ()
    maximum: int | None = None
    sensitive: tuple[str, ...] = ()
    folder: str = ""
    files: tuple[File, ...] = ()
    archive: Archive | None = None
    restore: Callable[[File, Path], bytes] | None = field(default=None, compare=False, repr=False)
    integrity: str = "md5 of every file, as published"
    instructions: str = ""

    def __post_init__(self) -> None:
        checks.one_of("origin", self.origin, ORIGINS)
        if (self.origin == "files") != bool(self.files):
            raise ValueError(f"files of {self.name}: must be given for origin 'files', and for no other")
        if self.files and not self.folder:
            raise ValueError(f"folder = '': {self.name} has files and needs a folder")
        if any(file.pieces for file in self.files) and self.restore is None:
            raise ValueError(f"restore of {self.name}: must be given, for a file of it has pieces")
        paths = [file.path for file in self.files]
        if len(set(paths)) != len(paths):
            raise ValueError(f"files of {self.name}: a path stands there twice")

    @property
    def required(self) -> tuple[File, ...]:
        """The files that loading needs."""
        return tuple(file for file in self.files if not file.optional)

    @property
    def bytes(self) -> int | None:
        """Size of the required files together, if every one is known."""
        sizes = [file.bytes for file in self.required]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def select(self, paths: tuple[str, ...] | None) -> tuple[File, ...]:
        """The files with these paths; the required ones for None.

        Raises:
            ValueError: a path is unknown.
        """
        if paths is None:
            return self.required
        known = {file.path: file for file in self.files}
        for path in paths:
            checks.one_of(f"file of {self.name}", path, known)
        return tuple(known[path] for path in paths)


@dataclass(frozen=True, kw_only=True)
class Split:
    """One split or domain.

    Args:
        inputs: images, features or table rows; first axis n.
        labels: int64, (n,), or (n, attributes) where the dataset says so.
        sensitive: the protected attribute, int64, (n,), where the dataset has one.
    """

    inputs: NDArray[Any]
    labels: NDArray[np.int64]
    sensitive: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if len(self.inputs) != len(self.labels):
            raise ValueError(f"labels: {len(self.labels)} of them for {len(self.inputs)} inputs")
        if self.sensitive is not None and len(self.sensitive) != len(self.inputs):
            raise ValueError(f"sensitive: {len(self.sensitive)} of them for {len(self.inputs)} inputs")

    def __len__(self) -> int:
        return len(self.inputs)

    def rows(self, places: NDArray[np.int64]) -> Split:
        """The records at these places, in their order."""
        sensitive = None if self.sensitive is None else self.sensitive[places]
        return Split(inputs=self.inputs[places], labels=self.labels[places], sensitive=sensitive)


@dataclass(frozen=True, kw_only=True)
class Splits:
    """A loaded dataset.

    Args:
        train: training split.
        test: test split.
        validation: validation split, where one is published.
        classes: names of the classes, in label order.
        columns: names of a table's columns.
    """

    train: Split
    test: Split
    validation: Split | None = None
    classes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
