"""WG Section 5.3 with an account in place of the limit: steps composed exactly, batches without replacement.

At equal noise it states 5.384 where the limit states 5.0 (T = 500); no pair of neighbours has been found above it.
"""

from __future__ import annotations

from wassdp.claims.gaussian_limits import (
    Run,
    attained,
    calibrated,
    draw,
    plain_attained,
    plain_proven,
    poisson_limit,
    proven,
)
from wassdp.claims.inequality import Inequality


def _ratio(case: Run) -> float:
    noise = calibrated(case, poisson_limit)
    return attained(case, noise) / proven(case, noise)


def _plain(case: Run) -> float:
    """At noise as large as the budgets' order of magnitude asks for."""
    noise = 20 / case.epsilon
    return plain_attained(case, noise) / plain_proven(case, noise)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 5.3, Poisson limit",
    place="Section 5.3, last sentences; Appendix B",
    statement="T steps are (ε, δ)-DP with the ε of the exact composition of Zhu, Dong and Wang's dominating pair",
    formula="δ(ε) of one step: δ₊ for ε ≥ 0, δ₋ for ε < 0, at rate p and μ = Δ/σ; to the power T",
    repairs="dp-wasserstein-gradients-section-5-3",
    compared="ε attained / stated",
    draw=draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: attained(case, calibrated(case, poisson_limit)) / case.epsilon,
    usual=64,
    few=24,
)
