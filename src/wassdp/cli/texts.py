"""JSON as typed on the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wassdp import complaints


def parsed(name: str, text: str) -> Any:
    """The value of a JSON text.

    Args:
        name: of the argument.
        text: its value.

    Raises:
        ValueError: one line naming the argument: it is no JSON, or a key stands twice in an object.

    >>> parsed("accountants", '["pld"]')
    ['pld']
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError(f"{name} = {complaints.shown(text)}: must be JSON (nested too deeply)") from None
    except ValueError as error:
        raise ValueError(f"{name} = {complaints.shown(text)}: must be JSON ({error})") from None


def read(name: str, path: Path) -> str:
    """The text in a file.

    Args:
        name: of the argument.
        path: the file.

    Raises:
        ValueError: one line naming both: it is not UTF-8.
    """
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} = {str(path)!r}: must be UTF-8 text (byte {error.start} is not)") from None


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object, as `wassdp.yaml_files` takes one: with no key twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key}: stands there twice")
        found[key] = value
    return found
