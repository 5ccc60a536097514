"""``wassdp calibrate``: the least noise, most steps or largest batch that keeps a budget."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.cli import mechanism as _mechanism
from wassdp.cli import numbers

HELP = "Find the least noise (or most steps, or largest batch) that keeps a budget."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    _mechanism.configure(parser, noise=False)
    parser.add_argument("--epsilon", type=numbers.POSITIVE, required=True, metavar="E", help="budget to keep")
    parser.add_argument("--delta", type=numbers.OPEN_UNIT, required=True, metavar="D", help="delta in (0, 1)")
    parser.add_argument("--find", choices=("noise", "steps", "batch"), default="noise", help="what to find")
    parser.add_argument("--accountant", default="pld", metavar="NAME", help="an upper-bound accountant (default: pld)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, account for what was found by every accountant, and print."""
    from wassdp.accounting.comparison import compare

    checks.positive("epsilon", arguments.epsilon)
    checks.open_unit("delta", arguments.delta)
    options = _mechanism.given(arguments)
    name, value, note = _found(arguments, options)
    options = {key: option for key, option in options.items() if name != "steps" or key != "epochs"} | {name: value}
    release = _mechanism.event(arguments.mechanism, options)
    comparison = compare(release, arguments.delta)
    if arguments.json:
        shown = comparison.as_json({"name": arguments.mechanism} | options)
        shown |= _mechanism.released(release) | _mechanism.share(options, arguments.delta)
        shown |= {"epsilon": arguments.epsilon, "found": {name: value}, "note": note}
        print(json.dumps(shown, indent=1, allow_nan=False))
    else:
        # All digits: a noise that is printed shorter is another one, with another budget.
        lines = [*filter(None, [note]), _mechanism.said(release), *_mechanism.warned(options, arguments.delta)]
        print(f"{name.replace('_', ' ')} = {value!r}", *lines, sep="\n")
        print(f"\n{comparison}")
    return 0


def _found(arguments: argparse.Namespace, options: dict[str, Any]) -> tuple[str, float, str | None]:
    """What was sought, its value, and what is to be said about it."""
    from wassdp.accounting import accountant, calibrate

    mechanism = arguments.mechanism
    accounting = accountant.load(arguments.accountant)
    target: dict[str, Any] = {"epsilon": arguments.epsilon, "delta": arguments.delta, "accountant": accounting}

    def at(name: str) -> Callable[[Any], Event]:
        return lambda value: _mechanism.event(mechanism, options | {name: value})

    def refuse(why: str, *sought: str) -> None:
        for name in sought:
            if name in options:
                raise ValueError(f"{_mechanism.typed(name, options[name])}: leave it out, {why}")

    if arguments.find == "steps":
        refuse("steps are what is sought", "steps", "epochs")
        return "steps", calibrate.steps(at("steps"), **target), None
    if arguments.find == "batch":
        refuse("a batch is what is sought", "batch")
        if "records" not in options:
            raise ValueError("--records: is missing with --find batch")
        # The number of whole batches that a budget allows is found as the number of steps is.
        if not (batch := calibrate.steps(at("batch"), **target, most=options["records"])):
            raise ValueError(f"epsilon = {arguments.epsilon!r}: not even a batch of one record keeps it")
        return "batch", batch, None
    command = _mechanism.commands()[mechanism][1]
    name = "sigma" if "sensitivity" in options else command.sought
    refuse("noise is what is sought (--find steps or batch seeks another)", name)
    if command.inverse:
        least = calibrate.least_noise(lambda value: at(name)(1 / value), **target)
        return name, 1 / least.noise, least.note
    least = calibrate.least_noise(at(name), **target)
    return name, least.noise, least.note
