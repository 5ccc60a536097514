"""WDP Theorem 2 as a bound that holds: give both sides the same noise, and move only what was sampled.

Then X and Y differ by d with probability q. W_1 reaches it for every noise, and every W_μ as the noise vanishes.
"""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Step, at_least, draw, simpler


def _ratio(found: Step) -> float:
    return found.exact() / found.coupled()


def _verified(found: Step) -> float:
    return float(at_least(found) / (found.rate ** (1 / found.order) * found.distance))


def _printed(found: Step) -> float:
    return found.exact() / found.printed()


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 2",
    place="Privacy Loss and Absolute Moment, equation 11; appendix, equations 89 to 98",
    statement="the privacy loss of a sampled Gaussian step is at most q^(1/μ) d, whatever the noise",
    formula="W_μ(M_t(D), M_t(D')) ≤ q^(1/μ) d_t for every σ > 0, and W_1 = q d_t",
    repairs="wasserstein-dp-theorem-2",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
    usual=2000,
)
