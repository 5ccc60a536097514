"""``wassdp audit budgets``: budgets that were printed or reported, beside what is measured of the same releases."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from wassdp import checks
from wassdp.accounting.rounding import exact, rounded
from wassdp.audit.budget import BUDGETS, LEAST, load
from wassdp.cli import numbers

HELP = "Attack what printed or reported budgets are claimed of: and say which of them are contradicted."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the audit."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BUDGETS.names())}; none: all")
    parser.add_argument(
        "--trials", type=int, metavar="N", help="releases in each world (default: as many as are enough to tell)"
    )
    parser.add_argument(
        "--confidence", type=numbers.OPEN_UNIT, default=0.999, metavar="C", help="one-sided (default: 0.999)"
    )
    parser.add_argument("--seed", type=numbers.whole(0), default=0, metavar="S", help="of all randomness (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Attack and print; 0 whether a claim is contradicted or not: it is a finding, and no failure."""
    names = [BUDGETS.known(name) for name in dict.fromkeys(arguments.names)] or list(BUDGETS.names())
    checks.whole("seed", arguments.seed)
    checks.open_unit("confidence", arguments.confidence)
    if arguments.trials is not None:
        checks.whole("trials", arguments.trials, least=LEAST)
    if not arguments.json:
        print(_line("budget", "printed", "claimed", "measured", "counted", "s", ""), flush=True)
    found = []
    for number, name in enumerate(names, start=1):
        print(f"{number} of {len(names)}: {name}", file=sys.stderr, flush=True)
        found.append(_attacked(name, arguments))
        if not arguments.json:
            print(_shown(found[-1]), flush=True)
    if arguments.json:
        asked = {name: getattr(arguments, name) for name in ("confidence", "seed")}
        print(json.dumps({**asked, "budgets": found}, indent=1, allow_nan=False))
    else:
        print(
            f"\nε at δ = 1e-05; measured: from below, confidence {exact(arguments.confidence)}, without any assumption"
        )
    return 0


def _attacked(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    from wassdp.audit.budget_attack import put  # loads torch

    begin, claim = time.perf_counter(), load(name)
    found = put(claim, trials=arguments.trials, confidence=arguments.confidence, seed=arguments.seed)
    return {
        "budget": name,
        "source": claim.source,
        "claimed_of": claim.done,
        "printed": claim.printed,
        "claimed": found.claimed,
        "measured": found.measured.epsilon,
        "contradicted": found.contradicted,
        "proven": found.proven,
        "delta": claim.delta,
        "counted": found.measured.trials,
        "seconds": time.perf_counter() - begin,
    }


def _shown(row: dict[str, Any]) -> str:
    return _line(
        row["budget"],
        "" if row["printed"] is None else f"{row['printed']:g}",
        rounded(row["claimed"], "published", digits=4),
        rounded(row["measured"], "lower", digits=4),
        f"{row['counted']:,}",
        f"{row['seconds']:.1f}",
        "contradicted" if row["contradicted"] else "not contradicted",
    )


def _line(budget: str, printed: str, claimed: str, measured: str, counted: str, seconds: str, claim: str) -> str:
    cells = f"{budget:<36} {printed:>7} {claimed:>8} {measured:>8} {counted:>10} {seconds:>6}  {claim}"
    return cells.rstrip()
