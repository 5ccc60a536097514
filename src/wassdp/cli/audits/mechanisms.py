"""``wassdp audit mechanisms``: every release of this project, attacked at its worst neighbours."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from wassdp import checks
from wassdp.accounting.guarantee import ContradictionError, Guarantee
from wassdp.accounting.rounding import exact, rounded
from wassdp.cli import numbers
from wassdp.plugins import Plugins

if TYPE_CHECKING:
    from wassdp.audit.bound import LowerBound
    from wassdp.audit.pair import Pair

HELP = "Attack every release at its worst neighbours: proven epsilon beside lower bounds."
# As in `wassdp.audit.pair`, which needs torch.
PAIRS = Plugins("wassdp.audit.pairs", "mechanism")


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the audit."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PAIRS.names())}; none: all")
    parser.add_argument(
        "--trials",
        type=int,
        default=1_000_000,
        metavar="N",
        help="releases in each world (default: 1000000); up to 80 times as many bring family-based bounds of sampled "
        "releases to 97 %% of an epsilon from 0.5 to 2 (docs/results/benchmarks/audit.md)",
    )
    parser.add_argument(
        "--epsilon", type=numbers.POSITIVE, default=1.0, metavar="E", help="budget of one release (default: 1)"
    )
    parser.add_argument(
        "--delta", type=numbers.OPEN_UNIT, default=1e-5, metavar="D", help="delta in (0, 1) (default: 1e-5)"
    )
    parser.add_argument(
        "--confidence", type=numbers.OPEN_UNIT, default=0.95, metavar="C", help="one-sided (default: 0.95)"
    )
    parser.add_argument("--seed", type=numbers.whole(0), default=0, metavar="S", help="of all randomness (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Calibrate each release to the budget, attack it, and print."""
    names = [PAIRS.known(name) for name in dict.fromkeys(arguments.names)] or list(PAIRS.names())
    checks.positive("epsilon", arguments.epsilon)
    from wassdp.audit import mechanism, pair

    mechanism.check(
        trials=arguments.trials, delta=arguments.delta, confidence=arguments.confidence, seed=arguments.seed
    )
    # All of them first: a budget that one cannot have is told before any other is attacked.
    pairs = {name: pair.load(name).at(arguments.epsilon, arguments.delta) for name in names}
    rows, contradictions = [], []
    for number, (name, chosen) in enumerate(pairs.items(), start=1):
        print(f"{number}/{len(names)} {name}: {arguments.trials:,} releases in each world", file=sys.stderr, flush=True)
        try:
            rows.append(_row(name, chosen, arguments))
        except ContradictionError as error:
            contradictions.append(str(error))
    if arguments.json:
        asked = {name: getattr(arguments, name) for name in ("epsilon", "delta", "confidence", "seed", "trials")}
        print(json.dumps({**asked, "mechanisms": rows, "contradictions": contradictions}, indent=1, allow_nan=False))
    else:
        print(_table(rows))
        print(f"\ndelta = {exact(arguments.delta)}, confidence {exact(arguments.confidence)}, seed {arguments.seed}")
    for line in contradictions:
        print(f"wassdp audit mechanisms: {line}", file=sys.stderr)
    return 1 if contradictions else 0


def _row(name: str, chosen: Pair, arguments: argparse.Namespace) -> dict[str, Any]:
    from wassdp.audit import mechanism

    begin = time.perf_counter()
    bounds = mechanism.audit_mechanism(
        chosen, trials=arguments.trials, delta=arguments.delta, confidence=arguments.confidence, seed=arguments.seed
    )
    seconds = time.perf_counter() - begin
    return _described(name, chosen.claim(arguments.delta), bounds) | {"noise": chosen.noise, "seconds": seconds}


def _described(name: str, claim: Guarantee, bounds: tuple[LowerBound, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "mechanism": name,
        "kind": claim.kind,
        "accountant": claim.accountant,
        "claimed": claim.epsilon,
        "neighbours": bounds[0].pair,
        "attacked": bounds[0].attacked,
    }
    for bound in bounds:
        estimate = bound.estimate
        found[estimate.basis] = {
            "epsilon": estimate.epsilon,
            "share": estimate.epsilon / claim.value,
            "counted": estimate.trials,
            "fit": estimate.fit,
            "statistic": estimate.statistic,
        }
    return found


def _table(rows: list[dict[str, Any]]) -> str:
    """A line for each mechanism; the two kinds of bound are columns of their own, each with its share of the claim."""
    lines = [("mechanism", "claim", "epsilon", "distribution-free", "family-based", "fit", "counted", "seconds", "")]
    for row in rows:
        free, family = row["distribution-free"], row.get("family-based")
        above = row["kind"] == "published" and free["share"] > 1
        lines.append(
            (
                row["mechanism"],
                "proven" if row["kind"] == "upper" else "published",
                rounded(row["claimed"], row["kind"], digits=5),
                _with_share(free),
                "" if family is None else _with_share(family),
                "" if family is None else "not tested" if family["fit"] is None else f"{family['fit']:.2g}",
                f"{free['counted']:,}",
                f"{row['seconds']:.1f}",
                "above what was published" if above else "",
            )
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _with_share(bound: dict[str, Any]) -> str:
    return f"{rounded(bound['epsilon'], 'lower', digits=5)} ({100 * bound['share']:.1f} %)"
