"""Mirror folders: dataset files that lie on this machine already. They are read, never written."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from wassdp.data.base import Dataset, File
from wassdp.files import appearing, write_bytes

log = logging.getLogger("wassdp.data")

CHUNK = 1 << 20


def folders() -> tuple[Path, ...]:
    """The folders named by ``WASSDP_MIRROR``, separated like those of ``PATH``."""
    return tuple(
        Path(part).expanduser().absolute() for part in os.environ.get("WASSDP_MIRROR", "").split(os.pathsep) if part
    )


def holds(dataset: Dataset, file: File) -> bool:
    """Whether some mirror has this file, judged by names alone."""
    return any(any(True for _ in _copies(folder, file)) or _has_pieces(folder, file) for folder in _folders_of(dataset))


def bring(dataset: Dataset, file: File, home: Path) -> bool:
    """Bring a file into ``home`` from the first mirror that has it right; wrong ones are named and skipped.

    Raises:
        OSError: the data folder cannot be written.
    """
    for folder in _folders_of(dataset):
        for origin in _copies(folder, file):
            try:
                _copy(origin, file, home)
                return True
            except _UnfitError as error:
                log.warning("%s: %s; skipped", origin, error)
        if _has_pieces(folder, file):
            try:
                _rebuild(dataset, file, folder, home)
                return True
            except _UnfitError as error:
                log.warning("%s: %s; skipped", folder / file.pieces[0], error)
    return False


def _folders_of(dataset: Dataset) -> list[Path]:
    return [mirror / dataset.folder for mirror in folders()]


def _copies(folder: Path, file: File) -> Iterator[Path]:
    for name in (file.path, *file.aliases):
        if os.path.isfile(folder / name):
            yield folder / name


def _has_pieces(folder: Path, file: File) -> bool:
    return bool(file.pieces) and all(os.path.isfile(folder / piece) for piece in file.pieces)


def _copy(origin: Path, file: File, home: Path) -> None:
    with appearing(home / file.path) as draft, draft.open("wb") as sink:
        digest = hashlib.md5(usedforsecurity=False)
        for chunk in _chunks(origin):
            digest.update(chunk)
            sink.write(chunk)
        if file.md5 not in (None, digest.hexdigest()):
            raise _UnfitError(f"is not {file.expected}")


def _chunks(origin: Path) -> Iterator[bytes]:
    """The bytes of a mirror's file; an error in reading is the mirror's, not the data folder's."""
    try:
        with origin.open("rb") as source:
            while chunk := source.read(CHUNK):
                yield chunk
    except OSError as error:
        raise _UnfitError(f"cannot be read ({error.strerror or error})") from error


def _rebuild(dataset: Dataset, file: File, folder: Path, home: Path) -> None:
    assert dataset.restore is not None, f"{dataset.name} has files with pieces"
    try:
        content = dataset.restore(file, folder)
    except Exception as error:  # whatever a decoder makes of altered bytes
        raise _UnfitError(f"cannot be decoded ({error})") from error
    if hashlib.md5(content, usedforsecurity=False).hexdigest() != file.md5:
        raise _UnfitError(f"does not give {file.expected}")
    write_bytes(home / file.path, content)


class _UnfitError(Exception):
    """A mirror's file cannot be used; never leaves this file."""
