"""Folders that appear whole or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from wassdp.pipeline import stored


@contextlib.contextmanager
def appearing(*destinations: Path) -> Iterator[list[Path]]:
    """A temporary folder beside each destination that takes its place when the block ends without an error.

    Destinations are neighbours. Each is there whole, old or new, whenever the process is killed; what it left beside
    them goes with the next call.

    Raises:
        ValueError: something else than a published folder is there, which would be lost.
    """
    (parent,) = {destination.parent for destination in destinations}
    parent.mkdir(parents=True, exist_ok=True)
    with _alone(parent), contextlib.ExitStack() as stack:
        for destination in destinations:
            _refuse_unpublished(destination)
        drafts = [stack.enter_context(_draft(destination)) for destination in destinations]
        yield drafts
        for draft, destination in zip(drafts, destinations, strict=True):
            _swap(draft, destination)


@contextlib.contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One publishing process at a time, without a lock file that would end up in the repository."""
    handle = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _draft(destination: Path) -> Iterator[Path]:
    """A temporary folder beside the published one; what killed processes left is removed."""
    for left in destination.parent.glob(f".{destination.name}.*.publishing"):
        shutil.rmtree(left)
    draft = Path(tempfile.mkdtemp(dir=destination.parent, prefix=f".{destination.name}.", suffix=".publishing"))
    draft.chmod(0o777 & ~_umask())
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _refuse_unpublished(destination: Path) -> None:
    """Refuse a place with files that nobody published; an empty folder is fine."""
    there = destination.exists() and not (destination.is_dir() and not any(destination.iterdir()))
    if there and not (destination / stored.PUBLISHED).is_file():
        raise ValueError(f"{destination}: must be a published folder, empty or absent; it has no {stored.PUBLISHED}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _swap(draft: Path, destination: Path) -> None:
    """Put ``draft`` in the place of ``destination``; the old folder is in ``draft``'s place afterwards."""
    if not destination.exists():
        draft.rename(destination)
    elif not _exchange(draft, destination):
        # Without an atomic exchange there is a moment, between two renames, with no published folder.
        aside = draft.with_name(draft.name.replace(".publishing", ".old.publishing"))
        destination.rename(aside)
        try:
            draft.rename(destination)
        except OSError:
            aside.rename(destination)
            raise
        shutil.rmtree(aside)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two names in one step, where the system can (Linux: renameat2 with RENAME_EXCHANGE)."""
    working_folder, exchange = -100, 2
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = (os.fsencode(first.absolute()), os.fsencode(second.absolute()))
    return bool(call(working_folder, names[0], working_folder, names[1], exchange) == 0)
