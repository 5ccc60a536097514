"""WDP Corollary 1 with losses that hold: the sum of q^(1/μ) d_t, for steps that read no earlier output; no δ is needed.

A budget in the unit of the gradients, and not a bound on what can be told of a record.
"""

from __future__ import annotations

from wassdp.accounting.accountants.published.wasserstein import tail_bound
from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Run, at_least, draw_run, simpler_run


def _ratio(found: Run) -> float:
    return found.whole() / (found.steps * found.coupled())


def _verified(found: Run) -> float:
    whole = found.steps ** (1 / found.order) * at_least(found)
    return float(whole / (found.steps * found.rate ** (1 / found.order) * found.distance))


def _printed(found: Run) -> float:
    return found.whole() / tail_bound(found.steps * found.printed(), found.delta, found.beta)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Corollary 1",
    place="Wasserstein Accountant in Deep Learning, equation 16",
    statement="T sampled Gaussian steps that read no earlier output satisfy WDP with the sum of q^(1/μ) d_t",
    formula="W_μ(M(D), M(D')) ≤ Σ_t q^(1/μ) d_t",
    repairs="wasserstein-dp-corollary-1",
    draw=draw_run,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler_run,
    usual=2000,
)
