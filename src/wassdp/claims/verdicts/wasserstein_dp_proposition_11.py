"""WDP Proposition 11, from WDP to RDP and DP.

Read with log p an L-Lipschitz function of the output; Laplace noise of scale λ has L = 1/λ and W_μ = Δ for every μ.
Both sides carry other units: measured in thousandths, L is 1000 times less, W_μ 1000 times more, the privacy the same.
(The proof takes log as L-Lipschitz in the *value* of the density, and bounds a difference of densities by the
sensitivity, equations 60 to 68; densities that oscillate fast contradict that reading.)
"""

from __future__ import annotations

import math

import mpmath

from wassdp.accounting.formulas.mechanisms import printed_renyi
from wassdp.accounting.formulas.wasserstein_conversions import to_renyi
from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, density, laplace, moved_means, simpler


def _divergence(found: Translates) -> float:
    relative = found.scale / found.sensitivity
    return 1 / relative if math.isinf(found.renyi_order) else printed_renyi("laplace", relative, found.renyi_order)


def _ratio(found: Translates) -> float:
    return _divergence(found) / to_renyi(found.distance(), found.order, found.renyi_order, lipschitz=1 / found.scale)


def _verified(found: Translates) -> float:
    if math.isinf(found.renyi_order):
        far = -mpmath.mpf(found.scale)  # the log-ratio is constant, and largest, on this side of both means
        divergence, factor = mpmath.log(density(found, far) / density(found, far - found.sensitivity)), mpmath.mpf(1)
    else:
        alpha = mpmath.mpf(found.renyi_order)
        span, shift = 60 * found.scale, found.sensitivity
        integral = mpmath.quad(
            lambda x: density(found, x) ** alpha * density(found, x - shift) ** (1 - alpha),
            [-span, -found.scale, 0, shift, shift + found.scale, shift + span],
        )
        divergence, factor = mpmath.log(integral) / (alpha - 1), alpha / (alpha - 1)
    power = moved_means(found) ** (mpmath.mpf(found.order) / (found.order + 1))
    return float(divergence / (factor * power / found.scale))


def _same_unit(found: Translates) -> float:
    return _divergence(found) / (found.distance() / found.scale)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 11",
    place="Properties of WDP; appendix, equations 60 to 77",
    statement="WDP of a mechanism whose log density is L-Lipschitz gives Rényi and pure differential privacy",
    formula="M is (μ, ε)-WDP ⇒ D_α ≤ α/(α − 1) L ε^(μ/(μ+1)), and D_∞ ≤ L ε^(μ/(μ+1))",
    draw=laplace,
    ratio=_ratio,
    verified=_verified,
    corrupted=_same_unit,
    simpler=simpler,
)
