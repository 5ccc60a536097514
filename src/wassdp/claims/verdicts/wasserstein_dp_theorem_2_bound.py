"""WDP Theorem 2 as it is used: the printed loss as something that the true one does not exceed.

A weaker statement than the equality, and all that an accountant needs. It fails where the gradients differ by much more
than the noise: rare samples, far away, have a small variance in the printed formula and a large moment in the mixture.
"""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Step, at_least, draw, quadrature, simpler


def _ratio(found: Step) -> float:
    return found.exact() / found.printed()


def _verified(found: Step) -> float:
    return float(at_least(found) / quadrature(found))


def _coupled(found: Step) -> float:
    return found.exact() / found.coupled()


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 2",
    place="Theorem 2 as Theorem 3 and Corollary 1 use it",
    statement="the privacy loss of a sampled Gaussian step is at most the printed moment",
    formula="W_μ(M_t(D), M_t(D')) ≤ [Σ_i E|Z_ti|^μ]^(1/μ), Z_t ~ N(q d_t, (2 − 2q + 2q²)σ²)",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_coupled,
    simpler=simpler,
    usual=2000,
    few=60,
)
