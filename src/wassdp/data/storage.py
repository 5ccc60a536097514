"""Where dataset files live, and how they get there: data folder, then mirrors, then download.

A file enters the data folder whole, and only after its md5 has been checked; a file that is already there is
checked before every first use in a process. Mirrors are only read.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from wassdp.data import download, mirror, record
from wassdp.data.base import Dataset, DatasetUnavailable, File

log = logging.getLogger("wassdp.data")

Source = Literal["data folder", "mirror", "download"]


@dataclass(frozen=True)
class Entry:
    """A checked file: where it lies, its md5 and size, and where it came from this time."""

    path: Path
    md5: str
    bytes: int
    source: Source


@dataclass(frozen=True)
class Manifest:
    """The checked files of a dataset, by their path under the dataset's folder."""

    dataset: str
    folder: Path
    entries: Mapping[str, Entry]

    def path(self, name: str) -> Path:
        """Where a file lies."""
        return self.entries[name].path

    def checksums(self) -> dict[str, str]:
        """Path under the dataset's folder to md5; the same on every machine."""
        return {path: entry.md5 for path, entry in sorted(self.entries.items())}


def data_folder(folder: Path | None = None) -> Path:
    """The data folder: ``folder``, else ``WASSDP_DATA``, else the user's cache.

    The cache follows the XDG base directory rules: ``$XDG_CACHE_HOME/wassdp`` if that variable holds an
    absolute path, else ``~/.cache/wassdp``.
    """
    if folder is not None:
        return Path(folder).expanduser().absolute()
    if named := os.environ.get("WASSDP_DATA"):
        return Path(named).expanduser().absolute()
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "wassdp"


def md5_of(path: Path) -> str:
    """md5 of a file; computed once in a process for each path, size, modification time and inode."""
    status = path.stat()
    return _md5(path, status.st_size, status.st_mtime_ns, status.st_ino)


@functools.lru_cache(maxsize=1024)
def _md5(path: Path, size: int, modified: int, inode: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def fetch(dataset: Dataset, folder: Path | None = None, *, only: Iterable[str] | None = None) -> Manifest:
    """Have a dataset's files in the data folder, checked.

    Args:
        dataset: the descriptor.
        folder: the data folder; None for the usual one.
        only: paths of the files wanted; None for those that loading needs.

    Raises:
        DatasetUnavailable: a file is in no mirror and cannot be downloaded, or the data folder cannot be
            written; the message names file, md5 and place.
        ValueError: ``only`` names an unknown file.
    """
    files = dataset.select(None if only is None else tuple(only))
    home = data_folder(folder) / dataset.folder
    entries = {file.path: entry for file in files if (entry := _present(file, home)) is not None}
    if absent := [file.name for file in files if file.path not in entries]:
        # Only a change of the folder needs the lock; a complete folder may be read-only.
        with _writing(dataset, home, absent), _locked(dataset, home):
            _complete(dataset, files, home, entries)
    return Manifest(dataset.name, home, {file.path: entries[file.path] for file in files})


def _complete(dataset: Dataset, files: tuple[File, ...], home: Path, entries: dict[str, Entry]) -> None:
    """Fill ``entries`` with the files that are missing. The caller holds the lock."""
    for file in files:
        _clear_drafts(home, file)
        # Another process may have brought it while this one waited for the lock.
        entry = entries.get(file.path) or _present(file, home, locked=True)
        if entry is None:
            _set_aside(file, home / file.path)
            if mirror.bring(dataset, file, home):
                entry = _brought(_present(file, home, locked=True), "mirror")
        if entry is not None:
            entries[file.path] = entry
    missing = [file for file in files if file.path not in entries]
    reasons: list[str] = []
    download.fill(dataset, missing, home, reasons)
    for file in missing:
        if (brought := _brought(_present(file, home, locked=True), "download")) is not None:
            entries[file.path] = brought
    if missing := [file for file in missing if file.path not in entries]:
        raise DatasetUnavailable(_unavailable(dataset, missing, home, reasons))


def _present(file: File, home: Path, *, locked: bool = False) -> Entry | None:
    """The file in the data folder, if it is there and right.

    A file without published md5 counts as right once its md5 is recorded; that needs the lock.
    """
    path = home / file.path
    if not os.path.isfile(path):
        return None
    try:
        size = path.stat().st_size
        if file.bytes not in (None, size):
            return None
        md5 = md5_of(path)
    except FileNotFoundError:  # another process has just set it aside
        return None
    except OSError as error:
        raise DatasetUnavailable(f"{path}: cannot be read ({error.strerror or error})") from error
    if file.md5 is None:
        if not record.agrees(home, file, md5):
            if not locked:
                return None
            record.add(home, file, md5)
    elif md5 != file.md5:
        return None
    return Entry(path, md5, size, "data folder")


def _set_aside(file: File, path: Path) -> None:
    """Move a wrong file out of the way, and say so."""
    if not path.exists():
        return
    aside = path.with_name(path.name + ".rejected")
    path.replace(aside)
    log.warning("%s: is not %s; moved to %s and fetched again", path, file.expected, aside.name)


def _brought(entry: Entry | None, source: Source) -> Entry | None:
    return None if entry is None else Entry(entry.path, entry.md5, entry.bytes, source)


@contextmanager
def _locked(dataset: Dataset, home: Path) -> Iterator[None]:
    """One process at a time for one dataset; the lock ends with its process, however that ends."""
    home.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(home.parent / f".{dataset.name}.lock")
    try:
        lock.acquire(timeout=1)
    except Timeout:
        log.warning("%s: another process is fetching it; waiting", dataset.name)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _writing(dataset: Dataset, home: Path, absent: list[str]) -> Iterator[None]:
    """Turn a failure to write into a message that says what to do."""
    try:
        yield
    except DatasetUnavailable:
        raise
    except OSError as error:
        raise DatasetUnavailable(
            f"{dataset.name}: {', '.join(absent)} must be fetched (missing, altered or not yet recorded), but "
            f"{error.filename or home} cannot be written ({error.strerror or error}); set WASSDP_DATA to a folder "
            "that can be written and has room, or make this one so"
        ) from error


def _clear_drafts(home: Path, file: File) -> None:
    """Remove what a killed process left half-written. The caller holds the lock, so nobody is writing it."""
    path = home / file.path
    for draft in path.parent.glob(f".{path.stem}.*{path.suffix}"):
        draft.unlink(missing_ok=True)
    for scratch in home.glob(f"{download.SCRATCH}*"):
        shutil.rmtree(scratch, ignore_errors=True)


def _unavailable(dataset: Dataset, missing: list[File], home: Path, reasons: list[str]) -> str:
    lines = [
        f"{dataset.name}: {len(missing)} of its files are missing, in no mirror, and cannot be downloaded"
        + (f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else "")
        + ". Place them as follows, or under the same names in "
        + f"{dataset.folder}/ of a folder named by WASSDP_MIRROR:"
    ]
    for file in missing:
        origin = f", from {file.urls[0]}" if file.urls else ""
        lines.append(f"  {home / file.path}: {file.expected}{origin}")
    if dataset.archive is not None:
        lines.append(f"They are in the archive {dataset.archive.url} (md5 {dataset.archive.md5 or 'not published'}).")
    if dataset.instructions:
        lines.append(dataset.instructions)
    return "\n".join(lines)


def presence(dataset: Dataset, folder: Path | None = None) -> str:
    """``present``, ``in mirror`` or ``absent``, judged by names and sizes alone; other origins give themselves."""
    if dataset.origin != "files":
        return dataset.origin
    home = data_folder(folder) / dataset.folder

    def there(file: File) -> bool:
        path = home / file.path
        return os.path.isfile(path) and file.bytes in (None, path.stat().st_size)

    if all(there(file) for file in dataset.required):
        return "present"
    return "in mirror" if all(there(file) or mirror.holds(dataset, file) for file in dataset.required) else "absent"
