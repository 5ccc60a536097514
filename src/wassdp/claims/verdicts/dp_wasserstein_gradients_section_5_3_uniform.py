"""WG Section 5.3: budgets by the central limit, in the form for batches of a fixed size.

The form that the paper refers to: Section 5.2 of Dong et al., Theorem 5.2, for batches drawn uniformly without
replacement, as the paper's are. Opacus has it too, though not by default. A limit is no bound, but at the paper's
settings it lies above the budgets that are proven.
"""

from __future__ import annotations

import math

from wassdp.claims.gaussian_limits import (
    DELTA,
    Run,
    calibrated,
    draw,
    plain_attained,
    plain_delta,
    poisson_limit,
    proven,
    uniform_limit,
)
from wassdp.claims.inequality import Inequality


def _plain(case: Run) -> float:
    """What is attained, at the noise for which the limit states ε, found by halving."""
    low, high = 0.5, 500.0
    for _ in range(100):
        noise = (low + high) / 2
        right, left = (math.erfc(-value / noise / math.sqrt(2)) / 2 for value in (1.5, -0.5))
        mean = case.rate * math.sqrt(2 * case.steps * (math.exp(noise**-2) * right + 3 * left - 2))
        low, high = (noise, high) if mean > 20 or plain_delta(mean, case.epsilon) > DELTA else (low, noise)
    return plain_attained(case, high) / case.epsilon


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 5.3, uniform limit",
    place="Section 5.3, last sentences; Appendix B",
    statement="noise by the uniform form of the GDP limit makes T steps (ε, δ)-DP: p = 1/5, T = 500 or 1000, δ = 0.1/n",
    formula="ε(δ) of T steps ≤ ε_GDP(μ, δ), μ = √2 p √(T (e^{1/σ²} Φ(3/(2σ)) + 3Φ(-1/(2σ)) - 2))",
    compared="ε proven / stated",
    draw=draw,
    ratio=lambda case: proven(case, calibrated(case, uniform_limit)) / case.epsilon,
    verified=_plain,
    corrupted=lambda case: proven(case, calibrated(case, poisson_limit)) / case.epsilon,
    usual=64,
    few=24,
)
