"""WG Section 5.3: budgets by the central limit, in the form that Opacus computes unless told otherwise.

The paper refers to Section 5.2 of Dong et al., which has the limit for batches of a fixed size (tested by itself:
`dp-wasserstein-gradients-section-5-3-uniform`), and to "the implementation of (Yousefpour et al., 2021)", which has
both forms and takes the one for Poisson samples unless told otherwise (Bu et al. 2020, Corollary 4). That one is tested
here. No code of the authors was found, so which one was run is not known. It is a limit for many steps, no bound; the
release is the Gaussian mechanism at its sensitivity, batches without replacement.
"""

from __future__ import annotations

import math

from wassdp.claims.gaussian_limits import (
    DELTA,
    Run,
    attained,
    calibrated,
    draw,
    plain_attained,
    plain_delta,
    poisson_limit,
    proven,
)
from wassdp.claims.inequality import Inequality


def _plain(case: Run) -> float:
    """μ by halving, then σ = 1/√log(1 + μ²/(p²T))."""
    low, high = 1e-3, 20.0
    for _ in range(200):
        mean = (low + high) / 2
        low, high = (mean, high) if plain_delta(mean, case.epsilon) < DELTA else (low, mean)
    noise = 1 / math.sqrt(math.log1p(low**2 / (case.rate**2 * case.steps)))
    return plain_attained(case, noise) / case.epsilon


def _by_the_exact_account(case: Run) -> float:
    noise = calibrated(case, poisson_limit)
    return attained(case, noise) / proven(case, noise)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 5.3, Poisson limit",
    place="Section 5.3, last sentences; Appendix B",
    statement="noise by the Poisson form of the GDP limit makes T steps (ε, δ)-DP: p = 1/5, T = 500 or 1000, δ = 0.1/n",
    formula="ε(δ) of T steps ≤ ε_GDP(μ, δ), μ = p √(T (e^{1/σ²} - 1))",
    note="This is Opacus's default; the uniform form, which the paper's reference has, holds at these settings",
    compared="ε attained / stated",
    draw=draw,
    ratio=lambda case: attained(case, calibrated(case, poisson_limit)) / case.epsilon,
    verified=_plain,
    corrupted=_by_the_exact_account,
    usual=64,
    few=24,
)
