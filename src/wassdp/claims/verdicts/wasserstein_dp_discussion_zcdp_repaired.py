"""WDP Discussion, from WDP to zCDP, by the repaired Proposition 11: additive noise, and L W_μ without a power."""

from __future__ import annotations

from wassdp.accounting.formulas.mechanisms import printed_renyi
from wassdp.accounting.formulas.wasserstein_conversions import to_pure
from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, divergence, laplace, moved_means, simpler

ORDERS = (1.0, 1.001, 1.5, 2.0, 5.0, 20.0, 1000.0)


def _largest(found: Translates) -> float:
    """The least ρ, as far as these orders tell."""
    relative = found.scale / found.sensitivity
    return max(printed_renyi("laplace", relative, alpha) / alpha for alpha in ORDERS)


def _ratio(found: Translates) -> float:
    return _largest(found) / ((found.distance() / found.scale) ** 2 / 2)


def _verified(found: Translates) -> float:
    return float(divergence(found) / ((moved_means(found) / found.scale) ** 2 / 2))


def _printed(found: Translates) -> float:
    return _largest(found) / (to_pure(found.distance(), found.order, lipschitz=1 / found.scale) ** 2 / 2)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Discussion, zCDP",
    place="Relations to Other DP Frameworks",
    statement="additive noise with an L-Lipschitz log density is zero-concentrated differentially private",
    formula="M = f + noise, |log p(x) − log p(y)| ≤ L|x − y| ⇒ M is ½ (L W_μ)²-zCDP",
    repairs="wasserstein-dp-discussion-zcdp",
    draw=laplace,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
)
