"""How a complaint shows a value and its place: short, and in characters that can be read."""

from __future__ import annotations

from collections.abc import Iterable


def shown(value: object, *, longest: int = 60) -> str:
    r"""A value in a complaint, cut where it is long.

    >>> shown("a\n"), shown("x" * 100, longest=8)
    ("'a\\n'", "'xxxx...")
    """
    text = repr(value)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def dotted(location: Iterable[object]) -> str:
    r"""The place of a finding in a tree of values; keys that nobody could read are quoted, and cut.

    >>> dotted(["runs", 3, "a\0b"])
    "runs.3.'a\\x00b'"
    """
    parts = [str(part) for part in location]
    return ".".join(part if part.isprintable() and len(part) <= 100 else shown(part) for part in parts)


def readable(text: str) -> str:
    r"""A complaint of somebody else in one line, without characters that steer a terminal.

    >>> readable("unexpected 'a\0'\n  here")
    "unexpected 'a\\x00' here"
    """
    return "".join(part if part.isprintable() else repr(part)[1:-1] for part in " ".join(text.split()))


def cut(text: str, *, longest: int = 1000) -> str:
    """A complaint, without its middle where somebody's value makes it endless.

    >>> cut("name = " + "9" * 50 + ": must be short", longest=30)
    'name = 99999999...e short'
    """
    return text if len(text) <= longest else f"{text[: longest // 2]}...{text[-longest // 3 :]}"
