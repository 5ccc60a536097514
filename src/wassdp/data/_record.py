"""Checksums of files that nobody has published: recorded at first use, and held to from then on."""

from __future__ import annotations

import json
from pathlib import Path

from wassdp.data.base import DatasetUnavailable, File
from wassdp.files import write_json

NAME = "recorded-md5.json"


def agree(home: Path, file: File, md5: str) -> None:
    """Record ``md5`` for ``file``, or compare it with what was recorded before.

    The record lies beside the files. It shows that two runs used the same bytes; that the bytes were right at
    first use it cannot show.

    Raises:
        DatasetUnavailable: the file differs from the one recorded.
    """
    path = home / NAME
    known = _read(path)
    if known.get(file.path) == md5:
        return
    if file.path in known:
        raise DatasetUnavailable(
            f"{home / file.path}: has md5 {md5}, but {known[file.path]} was recorded when it was first used; put "
            f"that file back, or delete {path} to accept the new one"
        )
    try:
        write_json(path, dict(sorted({**known, file.path: md5}.items())))
    except OSError as error:
        raise DatasetUnavailable(
            f"{path}: cannot be written ({error.strerror}); the md5 of {file.path} has to be recorded there"
        ) from error


def _read(path: Path) -> dict[str, str]:
    try:
        return {str(key): str(value) for key, value in json.loads(path.read_text()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError):
        raise DatasetUnavailable(
            f"{path}: is not a record of checksums; delete it to record the files again"
        ) from None
