"""Files that appear whole or not at all, and are read with their name in every complaint."""

from __future__ import annotations

import contextlib
import csv
import glob
import io
import json
import lzma
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RUNS = "runs.csv"
"""The table with a row for each run, in a results folder."""
PACKED = ".xz"
"""What the name of a table ends in where a published folder keeps it."""
LARGEST_PACKED = 200_000_000
"""Bytes of text in a packed file, at most; a few bytes can stand for any number."""


@contextlib.contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place when the block ends without an error.

    The data reach the disk before the name does, so a kill or a power cut leaves the old file or the
    new one. On an error the temporary file is removed and ``path`` is as it was. The suffix is kept,
    since some writers choose their format by it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        # mkstemp makes files private to the user; results are to be shared like any other file.
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        if error.filename is None:  # a full disk does not say where
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def sweep(path: Path) -> None:
    """Remove what killed writers of ``path`` left beside it; only for a caller that is the one writer of ``path``."""
    for draft in path.parent.glob(f".{glob.escape(path.stem)}.*{glob.escape(path.suffix)}"):
        draft.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with appearing(path) as draft:
        draft.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write ``content`` to ``path`` as UTF-8, whole or not at all."""
    write_bytes(path, content.encode())


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as strict JSON (no NaN, no infinity), keys in their given order."""
    write_text(path, json.dumps(value, indent=1, allow_nan=False) + "\n")


def json_lines(value: Mapping[str, Any]) -> str:
    """An object as strict JSON, each item of its lists in a line of its own.

    >>> print(json_lines({"name": "a", "rows": [{"x": 1}, {"x": 2}]}), end="")
    {"name":"a",
    "rows":[
    {"x":1},
    {"x":2}
    ]}
    """

    def own(item: Any) -> str:
        return json.dumps(item, allow_nan=False, ensure_ascii=False, separators=(",", ":"))

    def shown(item: Any) -> str:
        return "[\n" + ",\n".join(map(own, item)) + "\n]" if isinstance(item, list | tuple) and item else own(item)

    return "{" + ",\n".join(f"{own(key)}:{shown(item)}" for key, item in value.items()) + "}\n"


def first_there(folder: Path, *names: str) -> Path:
    """The first of these files that a folder has; if it has none, the first."""
    return next((folder / name for name in names if (folder / name).is_file()), folder / names[0])


def find_table(folder: Path, name: str) -> Path:
    """A table (CSV) of a results folder, or what a published one keeps of it, which `pandas.read_csv` reads likewise.

    If there is neither, the place of the first.
    """
    return first_there(folder, name, name + PACKED)


def pack_table(folder: Path, name: str) -> None:
    """Keep a table, where a folder has it, in a fraction of its size."""
    if (own := folder / name).is_file():
        write_bytes(folder / (name + PACKED), lzma.compress(own.read_bytes(), preset=9))
        own.unlink()


def read_table(path: Path) -> str:
    """The text of a table that `find_table` found.

    Raises:
        ValueError: one line: the file is damaged, or holds no UTF-8 text.
        OSError: it cannot be read.
    """
    return read_packed_text(path) if path.suffix == PACKED else read_text(path)


def table_rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table that `find_table` found; errors as of `read_table`."""
    return csv.DictReader(io.StringIO(read_table(path), newline=""))


def read_text(path: Path) -> str:
    """The UTF-8 text in a file.

    Raises:
        ValueError: one line: it is none.
        OSError: it cannot be read.
    """
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not UTF-8 text (byte {error.start})") from None


def read_packed_text(path: Path) -> str:
    """The UTF-8 text in an xz file.

    Raises:
        ValueError: one line: the file is damaged, holds no UTF-8 text, or more than `LARGEST_PACKED` bytes of it.
        OSError: it cannot be read.
    """
    unpacking = lzma.LZMADecompressor(memlimit=LARGEST_PACKED)
    try:
        content = unpacking.decompress(path.read_bytes(), max_length=LARGEST_PACKED)
        text = content.decode()
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{path}: is not an xz file that can be read ({error})") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    if not unpacking.eof:
        what = "holds too much" if len(content) == LARGEST_PACKED else "is cut short"
        raise ValueError(f"{path}: {what}")
    return text


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        ValueError: one line: the file is not UTF-8, not JSON, nested too deeply, or holds something else.
        OSError: it cannot be read.
    """
    text = read_text(path)
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"{path}: is not JSON that can be read (nested too deeply)") from None
    except ValueError as error:
        raise ValueError(f"{path}: is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path}: must hold a JSON object, not {type(value).__name__}")
    return value


def canonical_json(value: Any) -> str:
    """The one JSON text of ``value``: sorted keys, no spaces, no NaN. Equal values have equal texts.

    >>> canonical_json({"b": 1, "a": [0.1]})
    '{"a":[0.1],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
