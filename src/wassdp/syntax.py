"""What `wassdp.code` asks of a module's file: a hash of its syntax tree, and the names that stand in it.

To read all files of this package takes seconds, at every start of a pipeline and once more for its jobs. So what was
found is kept beside the compiled modules, in ``__pycache__``, by the SHA-256 of the file's content: a file that was
edited is read anew, whatever its date says, and all are by another Python or another version of this file.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import sys
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

from wassdp.files import write_text

KEPT = Path(cache_from_source(__file__)).with_suffix(".json")
_NEW: dict[str, list[object]] = {}
"""Content to what was found in it, of what this process had to read."""


class Syntax(NamedTuple):
    """What stands in a file.

    Args:
        fingerprint: SHA-256 of its syntax tree without docstrings.
        imported: what its import statements name, those inside functions included.
        texts: strings in it that could be a name, hyphens included.
    """

    fingerprint: str
    imported: tuple[str, ...]
    texts: tuple[str, ...]


def read(content: bytes) -> Syntax:
    """What stands in a file of this content; a kept answer is used.

    Raises:
        SyntaxError: it is no Python.
    """
    key = hashlib.sha256(content).hexdigest()
    known = _kept().get(key)
    if known is None:
        found = _found(ast.parse(content))
        _NEW[key] = list(found)
        return found
    fingerprint, imported, texts = known
    return Syntax(fingerprint, tuple(imported), tuple(texts))


def keep() -> None:
    """Keep what this process had to read, in the place of what is no file's content any more.

    Nothing where Python itself keeps nothing, or cannot.
    """
    if not _NEW or sys.dont_write_bytecode:
        return
    here = {hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(__file__).parent.rglob("*.py")}
    text = json.dumps({key: value for key, value in {**_kept(), **_NEW}.items() if key in here})
    with contextlib.suppress(OSError):
        write_text(KEPT, json.dumps({"for": _version(), "digest": _digest(text), "found": text}))
    _NEW.clear()
    _kept.cache_clear()


@functools.cache
def _kept() -> dict[str, tuple[str, list[str], list[str]]]:
    """What an earlier process found, by content; nothing if this Python or this file would find something else."""
    try:
        content = json.loads(KEPT.read_text())
        if content["for"] == _version() and content["digest"] == _digest(content["found"]):
            return dict(json.loads(content["found"]))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def _version() -> list[str]:
    return [sys.version, _digest(Path(__file__).read_text())]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _found(tree: ast.Module) -> Syntax:
    imported: set[str] = set()
    texts: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.add(node.module)
            # `from package import name` may load a module called name.
            imported.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _name(node.value):
            texts.add(node.value)
    for node in _documented(tree):
        node.body = node.body[1:] or [ast.Pass()]
    return Syntax(_digest(_dumped(tree)), tuple(sorted(imported)), tuple(sorted(texts)))


def _dumped(tree: ast.Module) -> str:
    """The tree as text, the same by every Python: a result names the hash of its code, and may be read by another."""
    for node in ast.walk(tree):
        # Python 3.12 gave functions and classes a list of type parameters, and some strings an empty end.
        if getattr(node, "type_params", None) == []:
            del node.type_params  # type: ignore[attr-defined]
        elif isinstance(node, ast.JoinedStr):
            node.values = [part for part in node.values if not (isinstance(part, ast.Constant) and part.value == "")]
    # Python 3.13 leaves empty lists out unless it is told not to.
    every: dict[str, bool] = {"show_empty": True} if sys.version_info >= (3, 13) else {}
    return ast.dump(tree, **every)


def _name(text: str) -> bool:
    return text.replace("-", "_").isidentifier()


def _documented(tree: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Whatever begins with a docstring."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield node
