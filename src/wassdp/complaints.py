"""How a complaint shows a value, its place and what is allowed: short, and in characters that can be read."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path


def shown(value: object, *, longest: int = 60) -> str:
    r"""A value in a complaint, cut where it is long; a path as it was typed.

    >>> shown("a\n"), shown("x" * 100, longest=8), shown(Path("a"))
    ("'a\\n'", "'xxxx...", "'a'")
    """
    text = repr(str(value) if isinstance(value, Path) else value)
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


def near(value: object, names: Iterable[str], *, inside: bool = False) -> list[str]:
    """At most three of ``names`` that a text may be misspelt of, the likeliest first.

    Args:
        value: what was given; where it is no text, or a long one, nothing is like it.
        names: what is known.
        inside: where nothing is spelt alike, also give names that the text is a part of.

    >>> near("plD", ["gdp", "pld"]), near("x", ["gdp", "pld"]), near("lemma", ["a-paper-lemma-1"], inside=True)
    (['pld'], [], ['a-paper-lemma-1'])
    """
    if not isinstance(value, str) or len(value) > 100:
        return []
    asked = value.casefold()
    known = sorted(names)
    matcher = difflib.SequenceMatcher(b=asked)
    likeness = {}
    for name in known:
        matcher.set_seq1(name.casefold())
        likeness[name] = matcher.ratio()
    least = max(0.6, max(likeness.values(), default=0.0) - 0.05)
    alike = sorted((name for name in known if likeness[name] >= least), key=lambda name: -likeness[name])
    if inside and not alike and len(asked) > 2:
        alike = [name for name in known if asked in name.casefold()]
    return alike[:3]


def choices(value: object, allowed: Collection[object], *, listed: str = "", former: Iterable[str] = ()) -> str:
    """What a value must be one of; first, what it may be misspelt of.

    Args:
        value: what was given.
        allowed: what it may be.
        listed: a command that lists them, where they are too many for a line.
        former: names that still work, and are offered only to who seems to mean them.

    >>> choices("plD", ["rdp", "pld"]), choices("x", [])
    ('did you mean pld? must be one of pld, rdp', 'there is nothing that it may be')
    >>> choices("lemma-4", ["a-lemma-41", "a-lemma-42", "theorem-1"], listed="`wassdp claims --list`")
    'did you mean a-lemma-41 or a-lemma-42? `wassdp claims --list` names all'
    """
    names = [str(choice) for choice in allowed]
    if not names:
        return "there is nothing that it may be"
    alike = near(value, [*names, *former], inside=bool(listed))
    meant = f"did you mean {' or '.join(filter(None, [', '.join(alike[:-1]), *alike[-1:]]))}? " if alike else ""
    if not listed:
        return f"{meant}must be one of {', '.join(sorted(names))}"
    return f"{meant}{listed} names all" if alike else f"must be one of those that {listed} names"
