"""WDP Proposition 11 for additive noise with an L-Lipschitz log density, where W_μ is the sensitivity.

log p(x) − log p(x − Δ) ≤ LΔ = L W_μ, without a power. For other mechanisms nothing of the kind holds: two such
densities may agree but for a tail that holds hardly any mass, with a ratio as large as one likes there.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from wassdp.accounting.formulas.wasserstein_conversions import to_pure
from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, laplace, simpler

FAMILIES = (stats.laplace, stats.logistic, stats.hypsecant)  # log densities of Lipschitz constant 1 at scale 1


def _divergence(found: Translates) -> float:
    """Largest log-ratio of the outputs over the three families of noise, on a grid of 30 scales."""
    x = np.linspace(-30 * found.scale - found.sensitivity, 30 * found.scale, 500)
    ratios = (
        family.logpdf(x, scale=found.scale) - family.logpdf(x, loc=found.sensitivity, scale=found.scale)
        for family in FAMILIES
    )
    return max(float(np.abs(ratio).max()) for ratio in ratios)


def _ratio(found: Translates) -> float:
    return _divergence(found) / (found.distance() / found.scale)


def _verified(found: Translates) -> float:
    """On the left of both means, by the closed forms of |x|, log(1 + e^x) and log cosh x."""
    left, right = (np.array([-20.0, -5.0, -1.0]) + shift / found.scale for shift in (0.0, -found.sensitivity))
    logistic = (left - 2 * np.logaddexp(0, left)) - (right - 2 * np.logaddexp(0, right))
    secant = np.logaddexp(right, -right) - np.logaddexp(left, -left)
    ratio = max(np.abs(part).max() for part in (np.abs(right) - np.abs(left), logistic, secant))
    return float(ratio / (found.sensitivity / found.scale))


def _printed(found: Translates) -> float:
    return _divergence(found) / to_pure(found.distance(), found.order, lipschitz=1 / found.scale)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 11",
    place="Properties of WDP; appendix, equations 60 to 77",
    statement="additive noise with an L-Lipschitz log density is private with L times its Wasserstein budget",
    formula="M = f + noise, |log p(x) − log p(y)| ≤ L|x − y| ⇒ D_α ≤ D_∞ ≤ L W_μ",
    repairs="wasserstein-dp-proposition-11",
    draw=laplace,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
)
