"""Lower bounds on every release of this project, as shares of what is proven of it, and what they cost.

`distribution_free` and `family_based` are shares of the proven ε at δ = 1e-5 that the bounds of
`wassdp.audit.mechanism` reach at confidence 95 %, each with as many trials as `SECONDS` of one processor give, a power
of ten; the Gaussian mechanism again with those at which the distribution-free bound is within three hundredths. Of a
published figure they are multiples. Times are those of one thread at work.
"""

from __future__ import annotations

import math
import time
from typing import Any

import torch

from wassdp.audit import pair
from wassdp.audit.mechanism import audit_mechanism

SECONDS = 20.0
DELTA = 1e-5
BUDGETS = (0.5, 1.0, 2.0)
MANY = 1_000_000_000


def main() -> list[dict[str, Any]]:
    """Rows: mechanism, proven ε, both shares, trials of each world, seconds."""
    torch.set_num_threads(1)
    names = pair.PAIRS.names()
    rows = [_row(name, epsilon, _affordable(name)) for name in names for epsilon in BUDGETS]
    return rows + [_row("gaussian", epsilon, MANY) for epsilon in BUDGETS]


def _affordable(name: str) -> int:
    """The power of ten of trials in each world that take at most `SECONDS`."""
    trial = pair.load(name).at(1.0, DELTA)
    _seconds(trial, 1000)
    each = _seconds(trial, 100_000) / 100_000
    return int(10 ** math.floor(math.log10(min(SECONDS / each, 1e8))))


def _seconds(chosen: pair.Pair, trials: int) -> float:
    begin = time.process_time()
    audit_mechanism(chosen, trials=trials, delta=DELTA)
    return time.process_time() - begin


def _row(name: str, epsilon: float, trials: int) -> dict[str, Any]:
    chosen = pair.load(name).at(epsilon, DELTA)
    claim = chosen.claim(DELTA)
    begin = time.process_time()
    bounds = audit_mechanism(chosen, trials=trials, delta=DELTA)
    seconds = time.process_time() - begin
    estimates = {bound.estimate.basis: bound.estimate for bound in bounds}
    family = estimates.get("family-based")
    return {
        "mechanism": name,
        "claim": "proven" if claim.kind == "upper" else "published",
        "epsilon": claim.epsilon,
        "distribution_free": estimates["distribution-free"].epsilon / claim.value,
        "family_based": None if family is None else family.epsilon / claim.value,
        "fit": None if family is None else family.fit,
        "trials": trials,
        "seconds": seconds,
    }
