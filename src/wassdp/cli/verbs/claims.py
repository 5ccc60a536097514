"""``wassdp claims``: published statements put to the test."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

HELP = "Put published statements to the test: what is claimed, what is found, the smallest counterexample."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="claims, * for any letters (default: all)")
    parser.add_argument("--list", action="store_true", help="name them and what they state; check nothing")
    parser.add_argument("--json", action="store_true", help="print all that is found as JSON; progress on stderr")
    parser.add_argument("--tried", type=_tried, default="usual", help="cases of a search: few, usual or a number")
    parser.add_argument("--seed", type=int, default=0, help="of the searches (default: 0)")
    parser.add_argument("--results", type=Path, help="published sets or a results folder (default: docs/results)")


def run(arguments: argparse.Namespace) -> int:
    """Check; exit code 0 when all checks ran, whatever they found."""
    from wassdp import checks, claims
    from wassdp.claims import checking
    from wassdp.cli import paths

    checks.whole("seed", arguments.seed)
    names = checking.asked(arguments.names)
    if arguments.list:
        for name in names:
            claim = claims.claim(name)
            print(f"{name}: {claim.where}: {claim.statement}")
        return 0
    if arguments.results is not None:
        paths.folder("results", arguments.results, "a folder of published sets, or a results folder")
    found = []
    progress = sys.stderr if arguments.json else sys.stdout
    for item in checking.checked(names, tried=arguments.tried, seed=arguments.seed, results=arguments.results):
        found.append(item)
        print(f"{len(found)}/{len(names)} {item.name}: {item.line} ({item.seconds:.1f} s)", file=progress, flush=True)
        if item.verdict.counterexample is not None:
            print(f"    smallest: {item.verdict.counterexample.words}", file=progress, flush=True)
    if arguments.json:
        print(json.dumps([item.as_json() for item in found], indent=1, allow_nan=False, ensure_ascii=False))
    return 0


def _tried(text: str) -> int | str:
    if text in ("few", "usual"):
        return text
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: must be few, usual or a whole number from 1 on")
    return number
