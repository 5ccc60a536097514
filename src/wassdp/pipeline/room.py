"""Can results be written at all? Asked before any job starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

LEAST_MIB = 64
"""What a small set of results needs; a larger one that fills the disk later fails by itself, whole files kept."""


def check_room(folder: Path, *, least_mib: float = LEAST_MIB) -> None:
    """Raise unless ``folder``, or the nearest folder above it that exists, can take results. Writes nothing.

    Raises:
        OSError: one line: it is no folder, cannot be written, or has too little room.
    """
    nearest = folder.absolute()
    while not nearest.exists():
        nearest = nearest.parent
    if not nearest.is_dir():
        raise OSError(f"{folder}: cannot hold results, {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise OSError(f"{folder}: cannot be written (permissions, or a read-only file system)")
    free = shutil.disk_usage(nearest).free / 2**20
    if free < least_mib:
        raise OSError(f"{folder}: has {free:.1f} MiB of free space, at least {least_mib:g} MiB are needed")
