"""WDP Discussion, triangle inequality, as to BDP: the quantile of Definition 10 breaks it.

log p/r = log p/q + log q/r at every output, but the second quantile is under another law. See
`wasserstein-dp-triangle-dp` and `wasserstein-dp-triangle-rdp` for the others.
"""

from __future__ import annotations

from wassdp.claims import bayesian_losses
from wassdp.claims.existence import Existence
from wassdp.claims.masses import Masses

LEAST = 1e-3


def _loss(found: Masses, one: int, other: int) -> float:
    """The larger of both directions, at least 0."""
    return max(0.0, bayesian_losses.bayesian(found, one, other), bayesian_losses.bayesian(found, other, one))


def _ratio(found: Masses) -> float:
    right = _loss(found, 0, 1) + _loss(found, 1, 2)
    return _loss(found, 0, 2) / right if right > LEAST else 0.0


def _largest(found: Masses) -> float:
    """For δ_b = 0: the largest log-ratio, as of pure DP."""

    def loss(one: int, other: int) -> float:
        return max(bayesian_losses.pure(found, one, other), bayesian_losses.pure(found, other, one))

    right = loss(0, 1) + loss(1, 2)
    return loss(0, 2) / right if right > LEAST else 0.0


CLAIM = Existence(
    paper="wasserstein-dp",
    item="Discussion, triangle inequality of BDP",
    place="Advantages from Metric Property, first sentence; Appendix, after Definition 11",
    statement="the privacy loss of Bayesian DP does not satisfy the triangle inequality",
    formula="L(P, R) > L(P, Q) + L(Q, R) for some laws, L the least ε with Pr[log p/q ≥ ε] ≤ δ_b, both directions",
    draw=lambda generator: bayesian_losses.draw(generator, laws=3),
    ratio=_ratio,
    corrupted=_largest,
)
