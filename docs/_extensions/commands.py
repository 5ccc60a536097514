"""The reference of commands, made from the parsers that read them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from wassdp.cli import VERBS


def reference(page: str, root: Path) -> str:
    """Every verb with its arguments, and those of the verbs inside it."""
    lines: list[str] = []
    for name in VERBS.names():
        verb = VERBS.load(name)
        parser = argparse.ArgumentParser(prog=f"wassdp {name}", description=verb.HELP, add_help=False)
        verb.configure(parser)
        lines += _command(parser, "##")
    return "\n".join(lines)


def _command(parser: argparse.ArgumentParser, level: str) -> Iterator[str]:
    yield from ("", f"{level} `{parser.prog}`", "", parser.description or "", "")
    inner: list[argparse.ArgumentParser] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            inner += action.choices.values()
        elif not isinstance(action, argparse._HelpAction):
            said = action.help and parser._get_formatter()._expand_help(action)
            yield from _argument(action, said or "")
    if parser.epilog:
        yield from ("```text", parser.epilog, "```", "")
    for each in inner:
        yield from _command(each, f"{level}#")


def _argument(action: argparse.Action, about: str) -> Iterator[str]:
    """An item of a definition list: how it is typed, and what is said of it."""
    if action.option_strings:
        value = "" if action.nargs == 0 else f" {_metavar(action)}"
        typed = ", ".join(f"`{option}{value}`" for option in action.option_strings)
    else:
        typed = f"`{_metavar(action)}`"
    words = [about]
    if action.required and action.option_strings:
        words.append("Has to be given.")
    if action.choices:
        words.append(f"One of {', '.join(f'`{choice}`' for choice in action.choices)}.")
    said = " ".join(word if word.endswith(".") else f"{word}." for word in words if word)
    yield from (typed, f": {escaped(said) or '–'}", "")


def _metavar(action: argparse.Action) -> str:
    known = action.metavar if isinstance(action.metavar, str) else None
    shown = known or (action.dest.upper() if action.option_strings else action.dest)
    return {"+": f"{shown} ...", "*": f"[{shown} ...]", "?": f"[{shown}]"}.get(str(action.nargs), shown)


def escaped(text: str) -> str:
    r"""Words that hold no mark-up but backticks.

    >>> print(escaped("<preset> * `a_b`"))
    \<preset> \* `a_b`
    """
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        for mark in "\\*_<$[|":
            parts[place] = parts[place].replace(mark, f"\\{mark}")
    return "`".join(parts) if len(parts) % 2 else text.replace("`", "\\`")
