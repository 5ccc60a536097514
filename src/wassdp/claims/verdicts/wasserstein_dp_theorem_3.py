"""WDP Theorem 3, the tail bound: Corollary 1 solved for δ, at the budget that the algorithm has in truth.

T equal and independent steps, with a distance in the norm of equation 96. Nothing is random but the outputs, so a
budget below the true loss fails for sure.
"""

from __future__ import annotations

import math

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Run, at_least, draw_run, quadrature, simpler_run


def _ratio(found: Run) -> float:
    """Pr[W ≥ ε] / δ for ε nine tenths of the true loss; a stated δ above 1 allows everything."""
    exponent = found.beta * (0.9 * found.whole() - found.steps * found.printed())
    return math.exp(min(max(exponent, -600.0), 600.0))


def _verified(found: Run) -> float:
    epsilon = found.steps ** (1 / found.order) * at_least(found)
    exponent = found.beta * (0.9 * epsilon - found.steps * quadrature(found))
    return math.exp(min(max(float(exponent), -600.0), 600.0))


def _certain(found: Run) -> float:
    """δ = 0 from the sum of q^(1/μ) d_t on: nothing is above it."""
    return found.whole() / (found.steps * found.coupled())


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 3",
    place="Wasserstein Accountant in Deep Learning, equation 15; appendix, equations 99 to 105",
    statement="a budget ε of T sampled Gaussian steps fails with probability δ at most, δ from the printed losses",
    formula="Pr[W_μ(M(D), M(D')) ≥ ε] ≤ δ, log δ = β Σ_t inf over d_t of [E Σ_i |Z_ti|^μ]^(1/μ) − βε",
    draw=draw_run,
    ratio=_ratio,
    verified=_verified,
    corrupted=_certain,
    simpler=simpler_run,
    compared="probability / δ",
    usual=2000,
)
