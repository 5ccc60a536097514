"""The command line: ``wassdp VERB``, or ``python -m wassdp VERB``. One file per verb; parse, call, write.

A verb's file exposes

- ``HELP``: one line;
- ``configure(parser)``: its arguments;
- ``run(arguments) -> int``: its exit code.

Only the verb that was asked for is imported. Bad input (`ValueError`) prints one line and exits
with 2; a file that cannot be read or written (`OSError`), a package of an extra that is not installed
(`ModuleNotFoundError`), a computation that left the finite numbers (`FloatingPointError`) or two proven figures that
contradict each other (`ContradictionError`) prints one line and exits with 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from pydantic import ValidationError

from wassdp import extras
from wassdp.accounting.guarantee import ContradictionError
from wassdp.pipeline import benchmark
from wassdp.plugins import Plugins

VERBS = Plugins("wassdp.cli.verbs", "verb", joint="-")
RENAMED = {"generate": "run", "train": "run", "audit": "run"}
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
        for verb in known:
            print(f"  {verb:<12} {_module(verb).HELP}")
        return 0 if words else 2
    words[0] = RENAMED.get(words[0], words[0])
    if words[0] not in known:
        print(f"wassdp: verb = {words[0]!r}: must be one of {', '.join(known)}", file=sys.stderr)
        return 2
    chosen = _module(words[0])
    parser = _Parser(prog=f"wassdp {words[0]}", description=chosen.HELP, allow_abbrev=False)
    for word in words[1:]:
        # argparse makes an empty list of such a value, whatever its type.
        if word.startswith("--") and word.endswith("=--"):
            parser.error(f"argument {word[:-3]}: expected one argument")
    try:
        chosen.configure(parser)
        with benchmark.written():
            return int(chosen.run(parser.parse_args(words[1:])))
    except BrokenPipeError:
        # The reader of our output has left (`| head`): stop without a second error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ValidationError as error:
        print(f"{parser.prog}: {one_line(error)}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if (advice := extras.advice(error)) is None:
            raise
        print(f"{parser.prog}: {advice}", file=sys.stderr)
        return 1
    except (OSError, FloatingPointError, ContradictionError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line; ``--help`` shows the rest."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (--help says more)", file=sys.stderr)
        sys.exit(2)


def one_line(error: ValidationError) -> str:
    """The first finding of a pydantic error: key, value and what is allowed."""
    first = error.errors(include_url=False, include_context=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    value = repr(first["input"])
    more = error.error_count() - 1
    return f"{key} = {value[:80]}: {first['msg']}" + (f" (and {more} more)" if more else "")


def _module(verb: str) -> ModuleType:
    return VERBS.load(verb)
