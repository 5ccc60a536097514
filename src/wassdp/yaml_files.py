"""YAML as a configuration may have it: plain values in a tree, every key once.

The safe loader makes no objects. It takes the last of several equal keys, though, and lets an alias contain itself, or
repeat what repeats without end: the tree is looked at before anything is made of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

DEEPEST = 64
"""Levels of lists and sections inside each other; nothing here needs ten."""
MOST = 1_000_000
"""Values in a file, counted wherever an alias repeats them."""
LARGEST = 2**1024
"""What no whole number reaches: the largest floating-point number is below it."""
TEMPLATE = "__use_yte__"
"""The key by which a file is a template: Snakemake would run the Python in it."""
_PLAIN = (str, int, float, type(None))


class _Loader(yaml.SafeLoader):
    """The safe loader, strict about keys."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        # Here a section still has the keys that stand in it; a merge writes others beside them.
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value}: stands there twice", key.start_mark
                    )
                seen.add(key.value)
        return node

    def get_single_node(self) -> Any:
        node = super().get_single_node()
        if node is not None:
            _measure(node, {})
        return node

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        value = super().construct_yaml_int(node)
        if abs(value) >= LARGEST:
            raise yaml.constructor.ConstructorError(
                None, None, "a whole number of more than 300 digits", node.start_mark
            )
        return value


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def read(path: Path) -> Any:
    """The value in a YAML file.

    Raises:
        ValueError: one line: it is not UTF-8 or not YAML, a key stands there twice, an alias contains itself, it is
            nested or repeated beyond all need, it holds a date or other things than words and numbers, or it is a
            template.
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
    except _EndlessError as error:
        raise ValueError(f"{path}: {error}") from None
    except ValueError as error:  # a number or date that Python cannot hold
        raise ValueError(f"{path}: is not YAML: {error}") from None
    if isinstance(value, dict) and TEMPLATE in value:
        raise ValueError(f"{path}: is a template ({TEMPLATE}), whose Python is not run here: write what it makes")
    _check(path, value)
    return value


class _EndlessError(ValueError):
    """A tree that is larger than its file, beyond all need."""


def _measure(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Levels and number of values of a tree, aliases counted wherever they stand; each node is looked at once.

    Args:
        node: its top.
        known: what was found of nodes, by their identity; None while one is looked at.

    Raises:
        _EndlessError: it has too many of either, or contains itself.
    """
    if id(node) in known:
        found = known[id(node)]
        if found is None:
            raise _EndlessError(f"an alias contains itself (line {node.start_mark.line + 1})")
        return found
    known[id(node)] = None
    inside = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else []
    inside += node.value if isinstance(node, yaml.SequenceNode) else []
    levels, values = 0, 1
    for part in inside:
        deep, many = _measure(part, known)
        levels, values = max(levels, deep + 1), values + many
        if levels > DEEPEST:
            raise _EndlessError(f"is nested too deeply; at most {DEEPEST} levels")
        if values > MOST:
            raise _EndlessError(f"has more than {MOST:,} values, aliases counted wherever they stand")
    known[id(node)] = levels, values
    return levels, values


def _check(path: Path, value: Any) -> None:
    """Refuse what no configuration can hold, and JSON cannot say."""
    if isinstance(value, dict):
        for key, item in value.items():
            _check(path, key)
            _check(path, item)
    elif isinstance(value, list):
        for item in value:
            _check(path, item)
    elif not isinstance(value, _PLAIN):
        raise ValueError(f"{path}: holds a {type(value).__name__}: {value!s:.60}; words need quotation marks")
