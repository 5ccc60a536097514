"""``wassdp audit zoo``: can the auditor tell wrong implementations from correct ones?"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from wassdp import checks
from wassdp.accounting.rounding import exact, rounded
from wassdp.cli import numbers

if TYPE_CHECKING:
    from wassdp.audit.keeper import Examined, Trial

HELP = "Try wrong implementations and their correct twins: who is caught, by which attack, in how many seconds."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the audit."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these specimens (default: all)")
    parser.add_argument(
        "--seed", type=numbers.whole(0), default=0, metavar="N", help="of everything that is drawn (default: 0)"
    )
    parser.add_argument(
        "--repetitions", type=numbers.whole(1), default=1, metavar="N", help="trials of each correct twin (default: 1)"
    )
    parser.add_argument(
        "--confidence",
        type=numbers.OPEN_UNIT,
        default=0.999,
        metavar="C",
        help="of each trial, in (0, 1) (default: 0.999)",
    )
    parser.add_argument(
        "--trials", type=int, metavar="N", help="releases in each world (default: as many as are enough to tell)"
    )
    parser.add_argument(
        "--jobs", type=numbers.whole(1), default=1, metavar="N", help="specimens tried at a time (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Try and print; 0 if every wrong implementation is caught and no correct one is, else 1."""
    from wassdp.audit import keeper, zoo

    # Before any work.
    names = tuple(dict.fromkeys(zoo.SPECIMENS.known(name) for name in arguments.names)) or zoo.SPECIMENS.names()
    checks.whole("seed", arguments.seed)
    checks.whole("repetitions", arguments.repetitions, least=1)
    checks.open_unit("confidence", arguments.confidence)
    if arguments.trials is not None:
        checks.whole("trials", arguments.trials, least=100)
    checks.whole("jobs", arguments.jobs, least=1)
    started, examined = time.monotonic(), []
    if not arguments.json:
        print(_line("specimen", "caught by", "p", "claimed", "measured", "s", "twin"), flush=True)
    asked = {name: getattr(arguments, name) for name in ("seed", "repetitions", "confidence", "trials", "jobs")}
    for number, one in enumerate(keeper.examine_each(names, **asked), start=1):
        print(f"{number} of {len(names)}: {one.name}", file=sys.stderr, flush=True)
        examined.append(one)
        if not arguments.json:
            print(_shown(one), flush=True)
    seconds = time.monotonic() - started
    if arguments.json:
        print(json.dumps(_as_json(examined, arguments, seconds), indent=1, allow_nan=False))
    else:
        print(f"\n{_budgets(arguments.confidence)}")
        print(f"{_summary(examined, arguments.confidence)}, {seconds:.0f} s")
    return 0 if all(one.told_apart for one in examined) else 1


def _shown(one: Examined) -> str:
    caught = one.wrong.attack.replace("_", " ") if one.wrong.rejected else "NOT CAUGHT"
    alarms = "accepted" if not one.alarms else f"REJECTED, {one.alarms} of {len(one.twins)}"
    budgets = rounded(one.claimed, "upper", digits=4), rounded(one.wrong.measured, "lower", digits=4)
    return _line(one.name, caught, f"{one.wrong.p_value:.1g}", *budgets, f"{one.wrong.seconds:.1f}", alarms)


def _line(name: str, attack: str, p_value: str, claimed: str, measured: str, seconds: str, twin: str) -> str:
    return f"{name:<26} {attack:<26} {p_value:>7} {claimed:>8} {measured:>8} {seconds:>5}  {twin}"


def _summary(examined: list[Examined], confidence: float) -> str:
    caught, alarms = sum(one.wrong.rejected for one in examined), sum(one.alarms for one in examined)
    tried = sum(len(one.twins) for one in examined)
    most = (1 - confidence) * tried
    return (
        f"{caught} of {len(examined)} wrong implementations caught at confidence {exact(confidence)}; correct ones "
        f"rejected {alarms} of {tried} times, where at most {most:.2g} are to be expected"
    )


def _budgets(confidence: float) -> str:
    from wassdp.audit import keeper

    return (
        f"claimed and measured: ε at δ = {exact(keeper.DELTA)}, of the claim from above and of what the wrong one does "
        f"from below, at confidence {exact(confidence)} and without any assumption"
    )


def _as_json(examined: list[Examined], arguments: argparse.Namespace, seconds: float) -> dict[str, Any]:
    return {
        "confidence": arguments.confidence,
        "seed": arguments.seed,
        "repetitions": arguments.repetitions,
        "caught": sum(one.wrong.rejected for one in examined),
        "alarms": sum(one.alarms for one in examined),
        "alarms_expected_at_most": (1 - arguments.confidence) * sum(len(one.twins) for one in examined),
        "seconds": seconds,
        "specimens": [
            {
                "name": one.name,
                "fault": one.fault,
                "source": one.source,
                "neighbours": one.neighbours,
                "told_apart": one.told_apart,
                "claimed": one.claimed,
                "wrong": _trial(one.wrong),
                "twins": [_trial(twin) for twin in one.twins],
            }
            for one in examined
        ],
    }


def _trial(trial: Trial) -> dict[str, Any]:
    return {
        "attack": trial.attack,
        "p_value": trial.p_value,
        "rejected": trial.rejected,
        "measured": trial.measured,
        "seconds": trial.seconds,
    }
