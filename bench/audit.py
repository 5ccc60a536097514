"""Lower bounds on every release of this project, as shares of what is proven of it, and what they cost.

`distribution_free` and `family_based` are shares of the proven ε at δ = 1e-5 that the bounds of
`wassdp.audit.mechanism` reach at confidence 95 %, of one step; of a published figure they are multiples. `trials`, of
each world, are as many as let the family-based bound be expected `GAP` below what is proven, as told by other trials:
what a bound of 95 % loses falls with the root of their number. `seconds` is the time of the whole audit,
`seconds_1e5` that of 100,000 releases and their scores, both of one thread at work.
"""

from __future__ import annotations

import math
import sys
import time
from typing import Any

import torch

from wassdp.audit import pair
from wassdp.audit.game import play
from wassdp.audit.mechanism import audit_mechanism
from wassdp.audit.statistics import family

DELTA = 1e-5
BUDGETS = (0.5, 1.0, 2.0)
GAP = 0.012
"""Of the proven ε. A bound of 95 % that is expected there lies three hundredths below once in a hundred times."""
PILOT, PILOT_SEED = 300_000, 1
LEAST, MOST = 100_000, 80_000_000
TIMED = 100_000


def main() -> list[dict[str, Any]]:
    """Rows: mechanism, claim, ε, both shares, fit, trials of each world, seconds of the audit and of 1e5 trials."""
    torch.set_num_threads(1)
    return [_row(name, epsilon) for name in pair.PAIRS.names() for epsilon in BUDGETS]


def _row(name: str, epsilon: float) -> dict[str, Any]:
    chosen = pair.load(name).at(epsilon, DELTA)
    claim, trials = chosen.claim(DELTA), _enough(chosen)
    begin = time.process_time()
    bounds = audit_mechanism(chosen, trials=trials, delta=DELTA)
    seconds = time.process_time() - begin
    estimates = {bound.estimate.basis: bound.estimate for bound in bounds}
    found = estimates.get("family-based")
    row = {
        "mechanism": name,
        "claim": "proven" if claim.kind == "upper" else "published",
        "epsilon": claim.epsilon,
        "distribution_free": estimates["distribution-free"].epsilon / claim.value,
        "family_based": None if found is None else found.epsilon / claim.value,
        "fit": None if found is None else found.fit,
        "trials": trials,
        "seconds": seconds,
        "seconds_1e5": _seconds(chosen),
    }
    print(f"{name} at {claim.epsilon:.3g}: {trials:,} trials, {seconds:.0f} s", file=sys.stderr, flush=True)
    return row


def _enough(chosen: pair.Pair) -> int:
    """Trials of each world, a number of one digit and zeros."""
    alone = chosen.alone()
    if alone is None:
        return LEAST
    scores = play(chosen, trials=PILOT, seed=PILOT_SEED)
    half, sure = (family.bound(scores, event=alone, delta=DELTA, confidence=level).epsilon for level in (0.5, 0.95))
    wanted = PILOT * ((half - sure) / (GAP * chosen.claim(DELTA).value)) ** 2
    unit = 10 ** math.floor(math.log10(max(wanted, 1.0)))
    return int(min(max(math.ceil(wanted / unit) * unit, LEAST), MOST))


def _seconds(chosen: pair.Pair) -> float:
    """Of `TIMED` releases and their scores, half of them in either world."""
    begin = time.process_time()
    play(chosen, trials=TIMED // 2, seed=PILOT_SEED)
    return time.process_time() - begin
