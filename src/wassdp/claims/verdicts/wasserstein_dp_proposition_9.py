"""WDP Proposition 9, from DP to WDP, put to the test with the Laplace mechanism: ε = Δ/λ.

The step of Proposition 7 is used again: the cost is replaced by Δ·1[x ≠ y].
"""

from __future__ import annotations

import mpmath

from wassdp.accounting.formulas.wasserstein_conversions import from_pure
from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, density, laplace, moved_means, simpler


def _ratio(found: Translates) -> float:
    epsilon = found.sensitivity / found.scale
    return found.distance() / from_pure(epsilon, found.order, sensitivity=found.sensitivity)


def _verified(found: Translates) -> float:
    far = -mpmath.mpf(found.scale)  # the log-ratio is constant, and largest, on this side of both means
    epsilon = mpmath.log(density(found, far) / density(found, far - found.sensitivity))
    power = (2 * epsilon * mpmath.expm1(epsilon)) ** (1 / (2 * mpmath.mpf(found.order)))
    return float(moved_means(found) / (found.sensitivity / 2 * power))


def _moved(found: Translates) -> float:
    return found.distance() / found.sensitivity


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 9",
    place="Properties of WDP; appendix, equations 51 to 53",
    statement="pure differential privacy with a sensitivity gives WDP",
    formula="M is ε-DP with sensitivity Δ ⇒ W_μ ≤ ½ Δ (2ε(exp(ε) − 1))^(1/(2μ))",
    draw=laplace,
    ratio=_ratio,
    verified=_verified,
    corrupted=_moved,
    simpler=simpler,
)
