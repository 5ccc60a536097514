"""Files and folders as typed on the command line: what cannot be read or written is refused before any work."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

CONFIGURATION = "a YAML file"
RESULTS = "a results folder or a published folder"
PLAN = "the run table of a pipeline, or of `wassdp plan --out`"


def file(name: str, path: Path, what: str) -> Path:
    """``path``, if something is there to be read as a file.

    Args:
        name: of the argument.
        path: its value.
        what: it must be, in words.

    Raises:
        ValueError: there is nothing, or a folder.
    """
    if path.is_dir() or not path.exists():  # a pipe of the shell is no regular file
        there = "is a folder" if path.is_dir() else "no such file"
        raise ValueError(f"{name} = {str(path)!r}: {there}; must be {what}")
    return path


def folder(name: str, path: Path, what: str) -> Path:
    """``path``, if it is a folder.

    Raises:
        ValueError: it is not.
    """
    if not path.is_dir():
        there = "is a file" if path.exists() else "no such folder"
        raise ValueError(f"{name} = {str(path)!r}: {there}; must be {what}")
    return path


@contextlib.contextmanager
def named(name: str, path: Path) -> Iterator[None]:
    """Complaints about what is in ``path`` that begin with it begin with the argument's name too."""
    try:
        yield
    except ValueError as error:
        if str(error).startswith(repr(str(path))):
            raise ValueError(f"{name} = {error}") from None
        raise


def plan(arguments: argparse.Namespace) -> Path:
    """The plan that ``--plan`` names, else that of the folder of ``--results``.

    Raises:
        ValueError: there is no such folder or file.
    """
    folder("results", arguments.results, "a results folder, which a pipeline makes")
    return file("plan", arguments.plan or arguments.results / "plan.json", PLAN)


def new_file(name: str, path: Path) -> Path:
    """``path``, if a file can be written there; folders above it need not be there yet.

    Raises:
        ValueError: a folder is there, or no file can be made.
    """
    if path.is_dir():
        raise ValueError(f"{name} = {str(path)!r}: must be a file, not a folder")
    _writable(name, path, path.parent)
    return path


def new_folder(name: str, path: Path) -> Path:
    """``path``, if files can be written into a folder there; it need not be there yet.

    Raises:
        ValueError: a file is there, or nothing can be written.
    """
    _writable(name, path, path)
    return path


def _writable(name: str, path: Path, place: Path) -> None:
    """Refuse a path where nothing can be written into ``place``, or into the folder in which that would be made."""
    there = next(above for above in (place, *place.absolute().parents) if above.exists())
    if not there.is_dir():
        raise ValueError(f"{name} = {str(path)!r}: must lie in a folder, and {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"{name} = {str(path)!r}: must lie where files can be written, not in {there}")
