"""What is kept of files' syntax is what reading them anew finds, of this content and by this Python alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wassdp
from wassdp import syntax

ROOT = Path(wassdp.__file__).parent
MODULE = "wassdp.accounting.accountant"
HASH = f"from wassdp import code, syntax; print(code.code_hash({MODULE!r}), len(syntax._NEW))"


class Copy:
    """A copy of the package, each call in a process of its own."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(ROOT, folder / "wassdp", ignore=shutil.ignore_patterns("__pycache__"))
        self.folder = folder
        self.edited = folder / "wassdp" / "accounting" / "event.py"

    @property
    def kept(self) -> Path:
        (path,) = (self.folder / "wassdp" / "__pycache__").glob("syntax.*.json")
        return path

    def hashed(self, *more: str, **environment: str) -> tuple[str, int]:
        """The hash, and how many files had to be read for it; ``more`` is done after."""
        program = "; ".join([HASH, *more])
        variables = {"PYTHONPATH": str(self.folder), "PATH": ""} | environment
        command = [sys.executable, "-c", program]
        said = subprocess.run(command, env=variables, check=True, capture_output=True, text=True).stdout.split()
        return said[0], int(said[1])


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_what_is_kept_is_what_reading_finds(copy: Copy) -> None:
    anew, read = copy.hashed("syntax.keep()")
    assert read > 20
    assert copy.hashed() == (anew, 0)
    assert copy.hashed(PYTHONPYCACHEPREFIX=str(copy.folder / "elsewhere")) == (anew, read)
    assert len(json.loads(json.loads(copy.kept.read_text())["found"])) == read


def test_an_edit_counts_whatever_the_date_of_the_file_says(copy: Copy) -> None:
    before, _ = copy.hashed("syntax.keep()")
    was = copy.edited.stat()
    text = copy.edited.read_text()
    other = text.replace("return", "yield ", 1)
    assert len(other) == len(text)
    assert other != text
    copy.edited.write_text(other)
    os.utime(copy.edited, ns=(was.st_atime_ns, was.st_mtime_ns))
    after, read = copy.hashed("syntax.keep()")
    assert after != before
    assert read == 1
    assert copy.hashed() == (after, 0)
    copy.edited.write_text(text)
    assert copy.hashed() == (before, 1), "what is no file's content any more was let go"


@pytest.mark.parametrize("damage", ["cut", "changed", "other", "empty", "folder"])
def test_what_is_damaged_or_of_another_python_is_not_used(copy: Copy, damage: str) -> None:
    before, read = copy.hashed("syntax.keep()")
    content = copy.kept.read_text()
    whole = json.loads(content)
    match damage:
        case "cut":
            copy.kept.write_text(content[: len(content) // 2])
        case "changed":
            first = next(iter(json.loads(whole["found"]).values()))[0]
            copy.kept.write_text(content.replace(first, "0" * 64))
        case "other":
            copy.kept.write_text(json.dumps(whole | {"for": ["3.9", *whole["for"][1:]]}))
        case "empty":
            copy.kept.write_text("[]")
        case "folder":
            path = copy.kept
            path.unlink()
            path.mkdir()
    assert copy.hashed("syntax.keep()") == (before, read), "and keeping anew fails for none"
    assert copy.hashed() == (before, read if damage == "folder" else 0)


def test_nothing_is_kept_where_python_keeps_nothing(copy: Copy) -> None:
    before, read = copy.hashed("syntax.keep()", PYTHONDONTWRITEBYTECODE="1")
    assert not list(copy.folder.rglob("syntax.*.json"))
    assert copy.hashed() == (before, read)


SAMPLE = '''
"""A docstring, which does not count."""
from collections.abc import Callable


class Wide(dict):
    slots: tuple[int, ...] = ()

    def shown(self, *, width: int = 3) -> str:
        """Nor does this."""
        return f"{self.slots!r:<{width}}" f"{'' if width else width:>{width}.{width}f}" ""


def chosen(values: list[int], /, *more, key: Callable[[], None] | None = None, **other):
    match values:
        case [first, *rest] if (size := len(rest)) > 1:
            return lambda: (first, size, f"")
    try:
        yield from (value**-1 for value in values if not value % 2)
    except* ValueError:
        raise
'''


def test_the_fingerprint_is_the_same_by_every_python() -> None:
    """Results name the hash of their code: those of one Python are not another's of other code."""
    by_3_11 = "75345368a547a73a24aac6df74fb630c964b22783aa516b0862e5696f2ba3d54"
    assert syntax.read(SAMPLE.encode()).fingerprint == by_3_11
