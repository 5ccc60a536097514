"""WDP Theorem 2: the privacy loss of a sampled Gaussian step *is* the printed moment.

For one component, where the sum over components, over pairs and over one pair are the same. The mixture P =
(1−q)N(0, σ²) + qN(d, σ²) is replaced by a sum of independent variables (equations 90 to 92), and X and Y are taken as
independent although the infimum is over all couplings (equation 94): the noise itself is counted as a distance.
"""

from __future__ import annotations

from wassdp.accounting.formulas import sampled_wasserstein
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart
from wassdp.claims.sampled_steps import Step, at_least, at_most, draw, quadrature, simpler


def _ratio(found: Step) -> float:
    stated = found.printed()
    return apart(found.exact(), stated)


def _verified(found: Step) -> float:
    return float(max(at_least(found) / quadrature(found), quadrature(found) / at_most(found), 1))


def _means(found: Step) -> float:
    """The first moment, which holds as an equality: W_1 = qd."""
    exact = sampled_wasserstein.exact_loss(found.rate, found.distance, found.noise_std, 1.0)
    return apart(exact, found.rate * found.distance)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 2",
    place="Privacy Loss and Absolute Moment, equation 11; appendix, equations 89 to 98",
    statement="the privacy loss of a sampled Gaussian step is a moment of a normal variable with both noises in it",
    formula="W_μ(M_t(D), M_t(D')) = inf over d_t of [Σ_i E|Z_ti|^μ]^(1/μ), Z_t ~ N(q d_t, (2 − 2q + 2q²)σ²)",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_means,
    simpler=simpler,
    compared="larger / smaller of both sides",
    usual=2000,
)
