"""WDP Proposition 10, from RDP to WDP, put to the test with the Gaussian mechanism: ε = αΔ²/(2σ²).

The step of Proposition 7 is used again: the cost is replaced by Δ·1[x ≠ y].
"""

from __future__ import annotations

import mpmath

from wassdp.accounting.formulas.wasserstein_conversions import from_renyi
from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, divergence, finite_order, gaussian, moved_means, simpler_at_order


def _ratio(found: Translates) -> float:
    epsilon = found.renyi_order * (found.sensitivity / found.scale) ** 2 / 2
    printed = from_renyi(epsilon, found.renyi_order, found.order, sensitivity=found.sensitivity)
    return found.distance() / printed


def _verified(found: Translates) -> float:
    epsilon = found.renyi_order * divergence(found)  # of two normal laws, D_α is α times the divergence of order 1
    half = found.sensitivity / 2 * (2 * epsilon) ** (1 / (2 * mpmath.mpf(found.order)))
    return float(moved_means(found) / half)


def _moved(found: Translates) -> float:
    return found.distance() / found.sensitivity


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 10",
    place="Properties of WDP; appendix, equations 54 to 59",
    statement="Rényi differential privacy with a sensitivity gives WDP",
    formula="M is (α, ε)-RDP with sensitivity Δ ⇒ W_μ ≤ ½ Δ (2ε)^(1/(2μ))",
    draw=lambda generator: finite_order(gaussian(generator)),
    ratio=_ratio,
    verified=_verified,
    corrupted=_moved,
    simpler=simpler_at_order,
)
