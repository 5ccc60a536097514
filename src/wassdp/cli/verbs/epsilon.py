"""``wassdp epsilon``: the budget of a mechanism by every accountant that covers it."""

from __future__ import annotations

import argparse
import json

from wassdp.cli import mechanism, numbers

HELP = "Print the privacy budget of a mechanism, by every accountant side by side."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    mechanism.configure(parser)
    parser.add_argument("--delta", type=numbers.OPEN_UNIT, required=True, metavar="D", help="delta in (0, 1)")
    parser.add_argument(
        "--accountant", action="append", metavar="NAME", help="only this accountant (may be given several times)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Account and print."""
    from wassdp.accounting.comparison import compare

    options = mechanism.given(arguments)
    release = mechanism.event(arguments.mechanism, options)
    comparison = compare(release, arguments.delta, arguments.accountant)
    if arguments.json:
        shown = comparison.as_json({"name": arguments.mechanism} | options) | mechanism.released(release)
        shown |= mechanism.share(options, arguments.delta)
        print(json.dumps(shown, indent=1, allow_nan=False))
    else:
        print(mechanism.said(release), *mechanism.warned(options, arguments.delta), f"\n{comparison}", sep="\n")
    return 0
