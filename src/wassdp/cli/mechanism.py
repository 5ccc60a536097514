"""Mechanisms as typed on the command line: arguments to event, shared by several verbs."""

from __future__ import annotations

import argparse
import math
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from wassdp import checks, complaints
from wassdp.accounting import limits
from wassdp.accounting.commands import Command, flag, need
from wassdp.accounting.event import EVENTS, Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.guarantee import ADJACENCIES, known_adjacency
from wassdp.accounting.large_delta import LARGE_SHARE, large
from wassdp.cli import numbers


def commands() -> dict[str, tuple[type[Event], Command]]:
    """All mechanisms that can be typed, by name: the class of the event that each releases, and its options.

    Raises:
        ValueError: two have one name.
    """
    known: dict[str, tuple[type[Event], Command]] = {}
    for event in (EVENTS.choice(name, Event) for name in EVENTS.names()):
        for command in event.commands:
            if command.name in known:
                both = f"{known[command.name][0].__name__} and {event.__name__}"
                raise ValueError(f"mechanism {command.name}: is a command of {both}")
            known[command.name] = event, command
    return known


def configure(parser: argparse.ArgumentParser, *, noise: bool = True) -> None:
    """Arguments that describe a mechanism; without ``noise``, those for what is to be found may be left out."""
    known = commands()
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = described({name: command for name, (_, command) in known.items()})
    parser.add_argument("mechanism", choices=sorted(known), help="what is released, with which options: see below")
    group = parser.add_argument_group("mechanism")
    optional = "" if noise else " (may be left out: it is what is sought)"
    add = group.add_argument
    add(
        "--noise-multiplier",
        type=numbers.NOISE,
        metavar="M",
        help="noise over sensitivity under the adjacency" + optional,
    )
    add("--sigma", type=numbers.NOISE, metavar="S", help="noise standard deviation (laplace: scale)" + optional)
    add("--sensitivity", type=numbers.POSITIVE, metavar="D", help="sensitivity under the adjacency, with --sigma")
    add("--records", type=numbers.whole(1), metavar="N", help="number of records")
    add("--batch", type=numbers.whole(1), metavar="B", help="(expected) number of records in a batch")
    add(
        "--steps",
        type=numbers.whole(0),
        metavar="T",
        help="number of releases (default: 1; on batches there is no default)",
    )
    add("--epochs", type=numbers.POSITIVE, metavar="E", help="instead of --steps: passes over the records")
    add(
        "--steps-per-epoch",
        type=numbers.whole(1),
        metavar="S",
        help="releases in a pass, all at the same rate (default: records / batch, rounded up)",
    )
    add(
        "--sampling",
        choices=("poisson", "without-replacement", "full"),
        help="how records enter a batch (default: by mechanism, below)",
    )
    add(
        "--adjacency",
        type=known_adjacency,
        choices=ADJACENCIES,
        help="neighbouring relation (default: by mechanism and sampling, below)",
    )
    for name, described_so in _own(known).items():
        add(flag(name), **described_so)


def described(known: Mapping[str, Command]) -> str:
    """What each mechanism is, the options that it takes, and their defaults, for the end of a help."""
    columns = max(shutil.get_terminal_size().columns - 2, 40)
    parts = ["mechanisms (releases from records, with their noise), the options of each, and defaults:"]
    for name, command in sorted(known.items()):
        lines = [f"takes {', '.join(map(flag, command.options))}", *_defaults(command)]
        wrapped = [textwrap.fill(line, columns, initial_indent=" " * 6, subsequent_indent=" " * 8) for line in lines]
        about = f"  {name}: {command.about}" if command.about else f"  {name}"
        parts.append("\n".join([textwrap.fill(about, columns, subsequent_indent=" " * 4), *wrapped]))
    return "\n\n".join(parts)


def _defaults(command: Command) -> Iterator[str]:
    """How records enter a batch and the neighbouring relation, where neither is typed."""
    usual = command.sampling or "full"
    if command.sampling is not None:
        yield f"--sampling: {usual} with --batch, full without"
    others = [key for key in ("full", "poisson", "without-replacement") if command.sampling and key != usual]
    relation = command.adjacency[usual]
    unlike = [f"{command.adjacency[key]} with --sampling {key}" for key in others if command.adjacency[key] != relation]
    yield f"--adjacency: {', '.join([relation, *unlike])}"


def typed(name: str, value: object) -> str:
    """An option as it was typed.

    >>> typed("epochs", 15.0), typed("unpadded", True)
    ('--epochs = 15', '--unpadded')
    """
    return flag(name) if value is True else f"{flag(name)} = {complaints.shown(value).removesuffix('.0')}"


def _own(known: Mapping[str, tuple[type[Event], Command]]) -> dict[str, dict[str, Any]]:
    """Options that mechanisms declare for themselves; several may have one, if they mean the same type of value.

    Raises:
        ValueError: two declare one option differently.
    """
    options: dict[str, dict[str, Any]] = {}
    first: dict[str, str] = {}
    for mechanism, (_, command) in sorted(known.items()):
        for name, described_so in command.own.items():
            words = f"{mechanism}: {described_so['help']}"
            if name not in options:
                options[name], first[name] = {**described_so, "help": words}, mechanism
            elif {**options[name], "help": ""} == {**described_so, "help": ""}:
                options[name]["help"] += f"; {words}"
            else:
                raise ValueError(f"{flag(name)}: is declared differently by {first[name]} and {mechanism}")
    return options


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The mechanism's options that were typed.

    Raises:
        ValueError: one does not belong to the mechanism, or two contradict each other.
    """
    known = commands()
    _, mechanism = known[arguments.mechanism]
    names = {name for _, command in known.values() for name in command.options}
    asked = {name: value for name in sorted(names) if (value := getattr(arguments, name, None)) is not None}
    for name, value in asked.items():
        if name not in mechanism.options:
            takes = ", ".join(map(flag, mechanism.options))
            raise ValueError(f"{typed(name, value)}: does not apply to {arguments.mechanism}; it takes {takes}")
    for first, second in (("steps", "epochs"), ("noise_multiplier", "sigma"), ("noise_multiplier", "sensitivity")):
        if first in asked and second in asked:
            raise ValueError(f"{flag(first)} and {flag(second)}: give one of them")
    if "steps_per_epoch" in asked and "epochs" not in asked:
        raise ValueError("--steps-per-epoch: goes with --epochs")
    # Before anything is computed from them; whatever else they must be, the event says.
    for name, value in asked.items():
        if isinstance(value, int) and not isinstance(value, bool):
            limits.count(name, max(value, 0))
    if not asked.get("epochs", 0) <= limits.MOST:
        raise ValueError(f"epochs = {asked['epochs']!r}: must be at most 10^15")
    if asked.get("sampling") == "full" and asked.get("batch", asked.get("records")) != asked.get("records"):
        raise ValueError("--sampling full: --batch must be left out or equal --records")
    return asked


def event(mechanism: str, options: dict[str, Any]) -> Event:
    """The composed release that the options describe.

    Raises:
        ValueError: an option is missing or out of range.
    """
    released_by, command = commands()[mechanism]
    sampling = str(options.get("sampling", command.sampling if "batch" in options and command.sampling else "full"))
    release = released_by.typed(options, options.get("adjacency", command.adjacency[sampling]))
    if sampling != "full":
        records, batch = (need(options, name, f"with --sampling {sampling}") for name in ("records", "batch"))
        # One check for both: batch and records are whole, and batch is at most records.
        whole = SampledWithoutReplacement(event=release, records=records, batch=batch)
        release = whole if sampling == "without-replacement" else PoissonSampled(event=release, rate=whole.rate)
        # One step by default would be a budget far below that of the training that was meant.
        if not options.keys() & {"steps", "epochs"}:
            raise ValueError("--epochs: is missing with --batch (or --steps, 1 for a single batch)")
    return repeated(release, steps(options))


def steps(options: dict[str, Any]) -> int:
    """Number of releases: of so many passes over the records, or as given.

    A pass has as many steps as a loader makes that keeps its last, smaller batch, unless ``steps_per_epoch`` says
    otherwise; a part of a step counts as one. Each is of the same expected batch.

    >>> steps({"epochs": 60.0, "records": 60000, "batch": 256})
    14100
    >>> steps({"epochs": 60.0, "steps_per_epoch": 234})
    14040
    """
    if "epochs" in options:
        if not 0 < options["epochs"] < math.inf:
            raise ValueError(f"epochs = {options['epochs']!r}: must be above 0 and finite")
        if "steps_per_epoch" in options:
            per_epoch = checks.whole("steps_per_epoch", options["steps_per_epoch"], least=1)
        else:
            records, batch = (need(options, name, "with --epochs") for name in ("records", "batch"))
            if records < 1 or batch < 1:
                raise ValueError("records and batch: must be at least 1")
            per_epoch = int(-(-records // batch))
        # As the number was typed: 0.1 of 30 steps is 3, not 4.
        return math.ceil(Fraction(repr(options["epochs"])) * per_epoch)
    if options.get("steps", 1) < 0:
        raise ValueError(f"steps = {options['steps']!r}: must be a whole number of at least 0")
    return int(options.get("steps", 1))


def released(event: Event) -> dict[str, Any]:
    """Steps and sampling rate of what `event` made, as they appear beside its budgets: 1 is a full batch."""
    assert isinstance(event, Composed)
    (part,) = event.events
    return {"steps": event.steps, "rate": getattr(part, "rate", 1.0)}


def said(event: Event) -> str:
    """`released` in one line."""
    told = released(event)
    return f"{told['steps']} step{'s' if told['steps'] != 1 else ''}, sampling rate {told['rate']:.6g}"


def share(options: Mapping[str, Any], delta: float) -> dict[str, float]:
    """δ × records, as it appears beside budgets; nothing where the records were not told."""
    return {"delta_times_records": delta * options["records"]} if "records" in options else {}


def warned(options: Mapping[str, Any], delta: float) -> list[str]:
    """What is to be said of a large δ, in a line of its own."""
    return [
        f"delta x records = {value:.3g}, above {LARGE_SHARE:g}: "
        "a mechanism that gives away so many records whole keeps this delta"
        for value in share(options, delta).values()
        if large(value)
    ]
