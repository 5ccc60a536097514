"""Checksums of files that nobody has published: recorded at first use, and held to from then on."""

from __future__ import annotations

import json
from pathlib import Path

from wassdp.data.base import DatasetUnavailable, File
from wassdp.files import write_json

NAME = "recorded-md5.json"


def agrees(home: Path, file: File, md5: str) -> bool:
    """Whether ``md5`` is the one recorded for ``file``; False if none is.

    The record lies beside the files. It shows that two runs used the same bytes; that the bytes were right at
    first use it cannot show.

    Raises:
        DatasetUnavailable: another one is recorded.
    """
    known = _read(home / NAME)
    if known.get(file.path, md5) != md5:
        raise DatasetUnavailable(
            # Neither md5: of private records they stand in no log.
            f"{home / file.path}: has another md5 than was recorded when it was first used; put that file back, "
            f"or delete {home / NAME} to accept the new one"
        )
    return file.path in known


def add(home: Path, file: File, md5: str) -> None:
    """Record ``md5`` for ``file``. The caller holds the dataset's lock, so no other entry is lost."""
    write_json(home / NAME, dict(sorted({**_read(home / NAME), file.path: md5}.items())))


def _read(path: Path) -> dict[str, str]:
    try:
        return {str(key): str(value) for key, value in json.loads(path.read_text()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError):
        raise DatasetUnavailable(f"{path}: is not a record of checksums; delete it to record the files again") from None
