"""The command line: ``wassdp VERB``, or ``python -m wassdp VERB``. One file per verb; parse, call, write.

A verb's file exposes

- ``HELP``: one line;
- ``configure(parser)``: its arguments;
- ``run(arguments) -> int``: its exit code;
- ``moved(words)``, where another verb had its name: the line to say where the words are that verb's, else None;
- ``PASSES_ON``, true where words after ``--`` belong to another program: they are ``arguments.passed_on``.

Only the verb that was asked for is imported. Bad input (`ValueError`) prints one line and exits
with 2; a file that cannot be read or written (`OSError`), a package of an extra that is not installed
(`ModuleNotFoundError`), a computation that left the finite numbers (`FloatingPointError`) or two proven figures that
contradict each other (`ContradictionError`) prints one line and exits with 1.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from pydantic import ValidationError

from wassdp import complaints, extras
from wassdp.accounting.guarantee import ContradictionError
from wassdp.cli import numbers
from wassdp.pipeline import benchmark, limit
from wassdp.plugins import Plugins

VERBS = Plugins("wassdp.cli.verbs", "verb", joint="-")
_NO_MEMORY = ("out of memory", "allocate memory", "not enough memory", "can't start new thread", "watchdog thread")
"""How libraries say so in a ``RuntimeError``: an array, or the stack of a thread, found no place."""
_NEGATIVE = re.compile(r"-(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|-(inf|nan)$", re.IGNORECASE)
RENAMED = {"generate": "run", "train": "run"}
"""Verbs of earlier versions, which still work."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    known = VERBS.names()
    if words and words[0] == "--version":
        from wassdp.version import __version__

        print(__version__)
        return 0
    if not words or words[0] in ("-h", "--help"):
        print("usage: wassdp VERB [ARGUMENT ...]\n\nverbs (wassdp VERB --help says more):")
        for name in known:
            print(f"  {name:<12} {VERBS.load(name).HELP}")
        return 0 if words else 2
    words[0] = RENAMED.get(words[0], words[0])
    if words[0] not in known:
        allowed = complaints.choices(words[0], known, former=RENAMED)
        print(f"wassdp: verb = {complaints.shown(words[0])}: {allowed}", file=sys.stderr)
        return 2
    verb = VERBS.load(words[0])
    if line := getattr(verb, "moved", lambda words: None)(words[1:]):
        print(f"wassdp {words[0]}: {line}", file=sys.stderr)
        return 2
    parser = _Parser(prog=f"wassdp {words[0]}", description=verb.HELP, allow_abbrev=False)
    for word in words[1:]:
        # argparse makes an empty list of such a value, whatever its type.
        if word.startswith("--") and word.endswith("=--"):
            parser.error(f"argument {word[:-3]}: expected one argument")
    try:
        verb.configure(parser)
        own, others = words[1:], []
        if getattr(verb, "PASSES_ON", False) and "--" in own:
            own, others = own[: own.index("--")], own[own.index("--") + 1 :]
        arguments = parser.parse_args(own)
        arguments.passed_on = others
        with limit.enforced(), benchmark.written():
            return int(verb.run(arguments))
    except BrokenPipeError:
        # The reader of our output has left (`| head`): stop without a second error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (MemoryError, RuntimeError) as error:
        if not (isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY)):
            raise
        said = complaints.readable(str(error)).rpartition("] ")[2]  # after torch's place in its own source
        print(f"{parser.prog}: out of memory" + (f" ({said[:160]})" if said else ""), file=sys.stderr)
        return 1
    except (ValueError, ModuleNotFoundError, OSError, FloatingPointError, ContradictionError) as error:
        reason: object = one_line(error) if isinstance(error, ValidationError) else error
        if isinstance(error, ModuleNotFoundError) and (reason := extras.advice(error)) is None:
            raise
        print(f"{parser.prog}: {complaints.readable(str(reason))}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1


class _Once(argparse.Action):
    """An option of one value: given twice it is refused, where argparse forgets the first."""

    _given = False

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        if option is not None and self._given:
            raise argparse.ArgumentError(self, f"{complaints.shown(values)}: is given a second time; must be once")
        self._given = True
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line; ``--help`` shows the rest."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # argparse takes -1e-5 for an option, and says that a value is missing.
        self._negative_number_matcher = _NEGATIVE
        for action in (None, "store"):
            self.register("action", action, _Once)
        self.register("type", int, numbers.whole())
        self.register("type", float, numbers.ANY)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            reason = complaints.choices(value, list(action.choices))
            raise argparse.ArgumentError(action, f"{complaints.shown(value)}: {reason}")

    def error(self, message: str) -> NoReturn:
        what, _, which = message.partition(": ")
        if what == "the following arguments are required":
            message = self._missing(which.split(", "))
        elif what == "unrecognized arguments":
            alike = complaints.near(which.partition(" ")[0].partition("=")[0], self._option_string_actions)[:1]
            message += f" (did you mean {alike[0]}?)" if alike else ""
        print(f"{self.prog}: {complaints.readable(message)} (--help says more)", file=sys.stderr)
        sys.exit(2)

    def _missing(self, names: Sequence[str]) -> str:
        """What is not there, with what it may be where that is a few words."""
        known = {
            str(action.metavar or action.dest): f" (one of {', '.join(map(str, action.choices))})"
            for action in self._actions
            if action.choices is not None and not action.option_strings
        }
        shown = [name + known.get(name, "") for name in names]
        return f"{', '.join(shown)}: {'is' if len(names) == 1 else 'are'} missing"


def one_line(error: ValidationError) -> str:
    """The first finding of a pydantic error: key, value and what is allowed."""
    first = error.errors(include_url=False, include_context=False)[0]
    key = complaints.dotted(first["loc"])
    more = error.error_count() - 1
    return f"{key} = {complaints.shown(first['input'], longest=80)}: {first['msg']}" + (
        f" (and {more} more)" if more else ""
    )
