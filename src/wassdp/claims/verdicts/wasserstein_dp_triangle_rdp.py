"""WDP Discussion, triangle inequality, as to RDP: Rényi divergences break it, as Mironov (2017) says."""

from __future__ import annotations

import numpy as np

from wassdp.claims.existence import Existence
from wassdp.claims.laws import quotient
from wassdp.claims.masses import Masses, draw


def _loss(found: Masses, one: int, other: int) -> float:
    """D_α, the larger of both directions."""
    p, q, alpha = found.weights[one], found.weights[other], found.renyi_order
    sums = (np.sum(b * (a / b) ** alpha) for a, b in ((p, q), (q, p)))
    return max(float(np.log(value)) / (alpha - 1) for value in sums)


def _ratio(found: Masses) -> float:
    return quotient(_loss(found, 0, 2), _loss(found, 0, 1) + _loss(found, 1, 2))


def _pure(found: Masses) -> float:
    """The limit α → ∞, pure DP."""
    logs = np.log(found.weights)
    return quotient(
        *(float(sum(np.abs(logs[i] - logs[j]).max() for i, j in way)) for way in (((0, 2),), ((0, 1), (1, 2))))
    )


CLAIM = Existence(
    paper="wasserstein-dp",
    item="Discussion, triangle inequality of RDP",
    place="Advantages from Metric Property, first sentence",
    statement="the privacy loss of Rényi DP does not satisfy the triangle inequality",
    formula="D_α(P‖R) > D_α(P‖Q) + D_α(Q‖R) for some laws P, Q, R, the larger of both directions each",
    draw=lambda generator: draw(generator, laws=3),
    ratio=_ratio,
    corrupted=_pure,
)
