"""WDP Discussion, from WDP to zCDP: Proposition 11 followed by "ε-DP implies ε²/2-zCDP" (Bun and Steinke 2016).

The second step is true, the first is not. ρ-zCDP asks D_α ≤ ρα for every α > 1; looked at here is α → 1, the
Kullback-Leibler divergence.
"""

from __future__ import annotations

from wassdp.accounting.formulas.mechanisms import printed_renyi
from wassdp.accounting.formulas.wasserstein_conversions import to_pure
from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, divergence, laplace, moved_means, simpler


def _divergence(found: Translates) -> float:
    return printed_renyi("laplace", found.scale / found.sensitivity, 1.0)


def _ratio(found: Translates) -> float:
    return _divergence(found) / (to_pure(found.distance(), found.order, lipschitz=1 / found.scale) ** 2 / 2)


def _verified(found: Translates) -> float:
    pure = moved_means(found) ** (found.order / (found.order + 1)) / found.scale
    return float(divergence(found) / (pure**2 / 2))


def _same_unit(found: Translates) -> float:
    return _divergence(found) / ((found.distance() / found.scale) ** 2 / 2)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Discussion, zCDP",
    place="Relations to Other DP Frameworks",
    statement="WDP of a mechanism whose log density is L-Lipschitz gives zero-concentrated differential privacy",
    formula="M is (μ, ε)-WDP ⇒ M is ½ (L ε^(μ/(μ+1)))²-zCDP",
    draw=laplace,
    ratio=_ratio,
    verified=_verified,
    corrupted=_same_unit,
    simpler=simpler,
)
