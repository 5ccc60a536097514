"""WDP Corollary 1: the budget of T steps. Every loss here is fixed, so that nothing can fail with a probability.

T equal and independent steps, distances in the norm of equation 96: W_μ of all of them is T^(1/μ) times that of one.
The term −log(δ)/β hides much of what Theorem 2 misses; with the authors' β = 32 of Table 2 it no longer does.
"""

from __future__ import annotations

import math

from wassdp.accounting.accountants.published.wasserstein import tail_bound
from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Run, at_least, draw_run, quadrature, simpler_run


def _ratio(found: Run) -> float:
    return found.whole() / tail_bound(found.steps * found.printed(), found.delta, found.beta)


def _verified(found: Run) -> float:
    budget = found.steps * quadrature(found) + math.log(1 / found.delta) / found.beta
    return float(found.steps ** (1 / found.order) * at_least(found) / budget)


def _coupled(found: Run) -> float:
    return found.whole() / (found.steps * found.coupled())


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Corollary 1",
    place="Wasserstein Accountant in Deep Learning, equation 16",
    statement="T sampled Gaussian steps satisfy WDP with the sum of the printed losses and a term in δ",
    formula="W_μ(M(D), M(D')) ≤ ε = Σ_t inf over d_t of [Σ_i E|Z_ti|^μ]^(1/μ) − log(δ)/β, but with probability δ",
    draw=draw_run,
    ratio=_ratio,
    verified=_verified,
    corrupted=_coupled,
    simpler=simpler_run,
    usual=2000,
)
