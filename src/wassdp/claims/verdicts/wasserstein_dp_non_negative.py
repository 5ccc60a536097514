"""WDP Advantages from Metric Property: "the privacy losses of DP, RDP and BDP are all non-negative".

The largest log-ratio and the Rényi divergence are. The loss of an outcome (Definition 7) is not, and nor is what
Definition 10 bounds: if the likely outcomes are likelier under the neighbour, their log-ratios are below 0, and the
rest has probability δ_b. A budget below 0 is of no use, so that nothing else of the paper hangs on it.
"""

from __future__ import annotations

import math

from wassdp.claims import bayesian_losses
from wassdp.claims.inequality import Inequality
from wassdp.claims.masses import Masses, simpler


def _ratio(found: Masses) -> float:
    losses = (bayesian_losses.pure, bayesian_losses.renyi, bayesian_losses.bayesian)
    return math.exp(-min(loss(found, 0, 1) for loss in losses))


def _verified(found: Masses) -> float:
    p, q = found.weights[:2].tolist()
    alpha = found.renyi_order
    moment = math.fsum(b * (a / b) ** alpha for a, b in zip(p, q, strict=True))
    largest = max(a / b for a, b in zip(p, q, strict=True))
    smallest = min(math.log(largest), math.log(moment) / (alpha - 1), bayesian_losses.plain_bayesian(p, q))
    return math.exp(-smallest)


def _others(found: Masses) -> float:
    """Of DP and RDP alone."""
    return math.exp(-min(loss(found, 0, 1) for loss in (bayesian_losses.pure, bayesian_losses.renyi)))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Discussion, non-negative losses",
    place="Advantages from Metric Property, first sentence, with Definition 10",
    statement="the privacy losses of DP, RDP and BDP are all non-negative",
    formula="max_o log p/q ≥ 0, D_α(P‖Q) ≥ 0, and Pr[log p/q ≥ ε] ≤ δ_b for no ε < 0",
    compared="e^{−loss}",
    draw=bayesian_losses.draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_others,
    simpler=simpler,
)
