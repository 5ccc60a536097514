"""Where dataset files live, and how they get there: data folder, then mirrors, then download.

A file enters the data folder whole, and only after its md5 has been checked; a file that is already there is
checked before every first use in a process. Mirrors are only read.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from wassdp.data import _download, _record
from wassdp.data.base import Dataset, DatasetUnavailable, File
from wassdp.files import appearing

log = logging.getLogger("wassdp.data")

Source = Literal["data folder", "mirror", "download"]
CHUNK = 1 << 20


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
        """Path under the data folder to md5; the same on every machine."""
        return {f"{self.folder.name}/{path}": entry.md5 for path, entry in sorted(self.entries.items())}


def data_folder(folder: Path | None = None) -> Path:
    """The data folder: ``folder``, else ``WASSDP_DATA``, else the user's cache.

    The cache follows the XDG base directory rules: ``$XDG_CACHE_HOME/wassdp`` if that variable holds an
    absolute path, else ``~/.cache/wassdp``.
    """
    if folder is not None:
        return Path(folder).expanduser().absolute()
    if chosen := os.environ.get("WASSDP_DATA"):
        return Path(chosen).expanduser().absolute()
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "wassdp"


def mirror_folders() -> tuple[Path, ...]:
    """The folders named by ``WASSDP_MIRROR``, separated like those of ``PATH``."""
    return tuple(
        Path(part).expanduser().absolute() for part in os.environ.get("WASSDP_MIRROR", "").split(os.pathsep) if part
    )


def md5_of(path: Path) -> str:
    """md5 of a file; computed once in a process for each path, size, modification time and inode."""
    status = path.stat()
    return _md5(path, status.st_size, status.st_mtime_ns, status.st_ino)


@functools.lru_cache(maxsize=1024)
def _md5(path: Path, size: int, modified: int, inode: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


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
    if len(entries) < len(files):
        # Only a change of the folder needs the lock; a complete folder may be read-only.
        with _writing(home), _locked(dataset, home):
            _complete(dataset, files, home, entries)
    return Manifest(dataset.name, home, {file.path: entries[file.path] for file in files})


def _complete(dataset: Dataset, files: tuple[File, ...], home: Path, entries: dict[str, Entry]) -> None:
    """Fill ``entries`` with the files that are missing. The caller holds the lock."""
    for file in files:
        _clear_drafts(home / file.path)
        # Another process may have brought it while this one waited for the lock.
        entry = entries.get(file.path) or _present(file, home)
        if entry is None:
            _set_aside(file, home / file.path)
            entry = _from_mirrors(dataset, file, home)
        if entry is not None:
            entries[file.path] = entry
    missing = [file for file in files if file.path not in entries]
    reasons: list[str] = []
    _download.fill(dataset, missing, home, reasons)
    for file in missing:
        if (entry := _present(file, home)) is not None:
            entries[file.path] = _brought(entry, "download")
    if missing := [file for file in missing if file.path not in entries]:
        raise DatasetUnavailable(_unavailable(dataset, missing, home, reasons))


def _present(file: File, home: Path) -> Entry | None:
    """The file in the data folder, if it is there and right."""
    path = home / file.path
    if not path.is_file() or (file.bytes is not None and path.stat().st_size != file.bytes):
        return None
    md5 = md5_of(path)
    if file.md5 is None:
        _record.agree(home, file, md5)
    elif md5 != file.md5:
        return None
    return Entry(path, md5, path.stat().st_size, "data folder")


def _set_aside(file: File, path: Path) -> None:
    """Move a wrong file out of the way, and say so."""
    if not path.exists():
        return
    aside = path.with_name(path.name + ".rejected")
    path.replace(aside)
    log.warning("%s: is not %s; moved to %s and fetched again", path, _expected(file), aside.name)


def _from_mirrors(dataset: Dataset, file: File, home: Path) -> Entry | None:
    for mirror in mirror_folders():
        place = mirror / dataset.folder
        for name in (file.path, *file.aliases):
            if (place / name).is_file() and _copy(place / name, file, home):
                return _brought(_present(file, home), "mirror")
        if file.pieces and dataset.restore and all((place / piece).is_file() for piece in file.pieces):
            if _rebuild(dataset, file, place, home):
                return _brought(_present(file, home), "mirror")
    return None


def _brought(entry: Entry | None, source: Source) -> Entry | None:
    return None if entry is None else Entry(entry.path, entry.md5, entry.bytes, source)


def _copy(origin: Path, file: File, home: Path) -> bool:
    """Copy a mirror's file into the data folder if it is the right one."""
    try:
        source = origin.open("rb")
    except OSError as error:
        log.warning("%s: cannot be read (%s); skipped", origin, error.strerror)
        return False
    target = home / file.path
    with source, _dropping(origin, file), appearing(target) as draft, draft.open("wb") as sink:
        digest = hashlib.md5(usedforsecurity=False)
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            sink.write(chunk)
        if file.md5 not in (None, digest.hexdigest()):
            raise _WrongContent
    return target.is_file()


def _rebuild(dataset: Dataset, file: File, place: Path, home: Path) -> bool:
    """Rebuild a file from a mirror's pieces and write it if it is the right one."""
    assert dataset.restore is not None
    try:
        content = dataset.restore(file, place)
    except Exception as error:  # whatever a decoder makes of altered bytes
        log.warning("%s in %s: cannot be rebuilt (%s); skipped", file.name, place, error)
        return False
    target = home / file.path
    with _dropping(place / file.pieces[0], file), appearing(target) as draft:
        if hashlib.md5(content, usedforsecurity=False).hexdigest() != file.md5:
            raise _WrongContent
        draft.write_bytes(content)
    return target.is_file()


class _WrongContent(Exception):
    """Bytes with another md5 than expected; never leaves this file."""


@contextmanager
def _dropping(origin: Path, file: File) -> Iterator[None]:
    try:
        yield
    except _WrongContent:
        log.warning("%s: is not %s; skipped", origin, _expected(file))


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
def _writing(home: Path) -> Iterator[None]:
    """Turn a failure to write into a message that says what to do."""
    try:
        yield
    except DatasetUnavailable:
        raise
    except OSError as error:
        raise DatasetUnavailable(
            f"{error.filename or home}: cannot be written ({error.strerror or error}); set WASSDP_DATA to a "
            "folder that can be written and has room, or make this one so"
        ) from error


def _clear_drafts(path: Path) -> None:
    """Remove what a killed process left half-written. The caller holds the lock, so nobody is writing it."""
    for draft in path.parent.glob(f".{path.stem}.*{path.suffix}"):
        draft.unlink(missing_ok=True)


def _expected(file: File) -> str:
    size = f", {file.bytes} bytes" if file.bytes is not None else ""
    return f"{file.name} (md5 {file.md5 or 'recorded at first use'}{size})"


def _unavailable(dataset: Dataset, missing: list[File], home: Path, reasons: list[str]) -> str:
    lines = [
        f"{dataset.name}: {len(missing)} of its files are missing, in no mirror, and cannot be downloaded"
        + (f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else "")
        + ". Place them as follows, or under the same names in "
        + f"{dataset.folder}/ of a folder named by WASSDP_MIRROR:"
    ]
    for file in missing:
        origin = f", from {file.urls[0]}" if file.urls else ""
        lines.append(f"  {home / file.path}: {_expected(file)}{origin}")
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
        return path.is_file() and file.bytes in (None, path.stat().st_size)

    def mirrored(file: File) -> bool:
        for place in (mirror / dataset.folder for mirror in mirror_folders()):
            if any((place / name).is_file() for name in (file.path, *file.aliases)):
                return True
            if file.pieces and all((place / piece).is_file() for piece in file.pieces):
                return True
        return False

    if all(there(file) for file in dataset.required):
        return "present"
    return "in mirror" if all(there(file) or mirrored(file) for file in dataset.required) else "absent"


def describe(manifest: Manifest, dataset: Dataset) -> dict[str, Any]:
    """A manifest as JSON: no time, no absolute path, so that it is the same for the same files."""
    published = {file.path: file.published and file.md5 is not None for file in dataset.files}
    return {
        "dataset": dataset.name,
        "title": dataset.title,
        "licence": dataset.licence,
        "source": dataset.source,
        "integrity": dataset.integrity,
        "files": {
            f"{dataset.folder}/{path}": {"md5": entry.md5, "bytes": entry.bytes, "published": published[path]}
            for path, entry in sorted(manifest.entries.items())
        },
    }
