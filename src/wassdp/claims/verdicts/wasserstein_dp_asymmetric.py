"""WDP Advantages from Metric Property, "Symmetry": losses of DP, RDP and BDP from one law to another are not symmetric.

One pair of laws shows it for all three. Budgets bound both directions, as the paper says itself; with both, the losses
are symmetric.
"""

from __future__ import annotations

from dataclasses import replace

from wassdp.claims import bayesian_losses, masses
from wassdp.claims.existence import Existence
from wassdp.claims.laws import apart
from wassdp.claims.masses import Masses


def _ratio(found: Masses) -> float:
    """The least of the three: each loss one way over the other way, either way; 1 where one is not above 0."""
    quotients = []
    for loss in (bayesian_losses.pure, bayesian_losses.renyi, bayesian_losses.bayesian):
        one, other = loss(found, 0, 1), loss(found, 1, 0)
        quotients.append(apart(one, other) if min(one, other) > 1e-6 else 1.0)
    return min(quotients)


def _distance(found: Masses) -> float:
    """Wasserstein distances instead."""
    return apart(*(masses.by_quantiles(each) for each in (found, replace(found, weights=found.weights[::-1]))))


CLAIM = Existence(
    paper="wasserstein-dp",
    item="Discussion, asymmetric losses",
    place="Advantages from Metric Property, first sentence and 'Symmetry'; Appendix, after Definition 11",
    statement="the privacy losses of DP, RDP and BDP between two laws are asymmetric",
    formula="max_o log p/q, D_α(P‖Q) and BDP's quantile of log p/q each differ from theirs of Q and P, for some P, Q",
    draw=masses.draw,
    ratio=_ratio,
    corrupted=_distance,
    compared="quotient of both directions, the least of three losses,",
)
