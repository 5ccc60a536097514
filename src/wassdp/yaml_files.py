"""YAML as a configuration may have it: plain values in a tree, every key once.

The safe loader makes no objects. It takes the last of several equal keys, though, and lets an alias contain itself.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

DEEPEST = 64
"""Levels of lists and sections inside each other; nothing here needs ten."""
MOST = 1_000_000
"""Values in a file, counted wherever an alias repeats them."""


class _Loader(yaml.SafeLoader):
    """The safe loader, strict about keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value}: stands there twice", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def read(path: Path) -> Any:
    """The value in a YAML file.

    Raises:
        ValueError: one line: it is not UTF-8 or not YAML, a key stands there twice, an alias contains itself, or it
            is nested or repeated beyond all need.
        OSError: it cannot be read.
    """
    try:
        value = yaml.load(path.read_bytes().decode(), Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ValueError(f"{path}: is not YAML{where}: {getattr(error, 'problem', None) or 'cannot be read'}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise ValueError(f"{path}: is nested too deeply; at most {DEEPEST} levels") from None
    except ValueError as error:  # a number or date that Python cannot hold
        raise ValueError(f"{path}: is not YAML: {error}") from None
    _count(path, value, 0, 0)
    return value


def _count(path: Path, value: Any, level: int, found: int) -> int:
    """Number of values so far; refused beyond all need."""
    if level > DEEPEST:
        raise ValueError(f"{path}: is nested too deeply, or an alias contains itself; at most {DEEPEST} levels")
    if found > MOST:
        raise ValueError(f"{path}: has more than {MOST:,} values, aliases counted wherever they stand")
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | set | tuple) else ()
    found += 1
    for item in inside:
        found = _count(path, item, level + 1, found)
    return found
