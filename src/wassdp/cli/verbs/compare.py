"""``wassdp compare``: where two result sets differ beyond their seeds' spread."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

from wassdp import complaints

if TYPE_CHECKING:
    from wassdp.publish.differences import Differences

HELP = "Tell where two result sets differ beyond their seeds' spread (exit code 3 if they do)."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("first", type=Path, help="results folder or published folder")
    parser.add_argument("second", type=Path, help="results folder or published folder")
    parser.add_argument("--json", action="store_true", help="print everything that was compared as JSON")
    parser.add_argument(
        "--level",
        type=float,
        default=0.0027,
        help="two-sided level of each Student test (default: 0.0027, a Gaussian's three standard errors)",
    )
    parser.add_argument(
        "--tolerance", type=float, default=1e-6, help="relative difference that never counts (default: 1e-6)"
    )
    parser.add_argument("--curves", action="store_true", help="compare each point of each curve too")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="PATTERN", help="leave figures out, e.g. time*"
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare; exit code 0 if the sets agree, 3 if they differ."""
    from wassdp.cli import paths
    from wassdp.publish.differences import differences, load, settings

    sets = {name: paths.folder(name, getattr(arguments, name), paths.RESULTS) for name in ("first", "second")}
    found = []
    for name, folder in sets.items():
        with paths.named(name, folder):
            found.append(load(folder))
    comparison = differences(
        *found,
        level=arguments.level,
        tolerance=arguments.tolerance,
        curves=arguments.curves,
        ignore=arguments.ignore,
        planned=settings(arguments.first) | settings(arguments.second),
    )
    if arguments.json:
        value = dataclasses.asdict(comparison)
        value |= {
            "identical": comparison.identical,
            "differ": comparison.differ,
            "expected_false_alarms": comparison.expected_false_alarms,
        }
        print(json.dumps(value, indent=1, allow_nan=False))
    else:
        print("\n".join(map(complaints.readable, _lines(comparison))))
    return 3 if comparison.differ else 0


def _lines(told: Differences) -> list[str]:
    lines = []
    unmatched = {
        "only in the first set": told.only_first,
        "only in the second set": told.only_second,
        "seed only in the first set": told.seeds_first,
        "seed only in the second set": told.seeds_second,
    }
    for what, names in unmatched.items():
        lines += [f"{what}: {name}" for name in names]
    lines += [f"the same setting under other parameters: {name}" for name in told.by_setting]
    lines += [f"differs: {item.figure} of {item.group}: {item.reason}" for item in told.with_verdict("differs")]
    counts = {verdict: len(told.with_verdict(verdict)) for verdict in ("equal", "within spread", "differs")}
    compared = f"{told.groups} shared groups (first set: {told.runs[0]} runs, second set: {told.runs[1]} runs)"
    for what, count in zip(("first", "second"), told.undigested, strict=True):
        if count:
            lines.append(f"without digest: {count} runs of the {what} set; nothing tells whether they were changed")
    if told.unattacked.count(True) == 1:
        older = "first" if told.unattacked[0] else "second"
        lines.append(f"lower bounds were not compared: the {older} set is older than attacks")
    if told.identical:
        return [*lines, f"identical: {counts['equal']} figures in {compared}"]
    tested = sum(item.tested for item in told.differences)
    lines.append(
        f"{'different' if told.differ else 'no difference beyond the spread of the seeds'}: {counts['equal']} figures "
        f"equal, {counts['within spread']} within their spread, {counts['differs']} different, in {compared}"
    )
    if tested:
        lines.append(
            f"{tested} figures were tested at level {told.level:g}: chance alone flags "
            f"{told.expected_false_alarms:.2g} of them on average"
        )
    return lines
