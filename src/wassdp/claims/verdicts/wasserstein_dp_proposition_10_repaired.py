"""WDP Proposition 10 where no two outputs are farther apart than R, by W_μ ≤ R TV^(1/μ) and Pinsker's inequality."""

from __future__ import annotations

import math

from wassdp.accounting.formulas.wasserstein_conversions import from_renyi
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import quotient
from wassdp.claims.masses import Masses, by_quantiles, draw, simpler


def _ratio(found: Masses) -> float:
    variation = min(1.0, math.sqrt(found.renyi() / 2))
    return quotient(found.distance(), found.diameter * variation ** (1 / found.order))


def _verified(found: Masses) -> float:
    alpha = found.renyi_order
    mean = sum(q * (p / q) ** alpha for p, q in zip(*found.weights[:2], strict=True))
    half = math.log(mean) / (2 * (alpha - 1))
    diameter = max(found.places) - min(found.places)
    return float(by_quantiles(found) / (diameter * min(1.0, half**0.5) ** (1 / found.order)))


def _printed(found: Masses) -> float:
    printed = from_renyi(found.renyi(), found.renyi_order, found.order, sensitivity=found.diameter)
    return quotient(found.distance(), printed)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 10",
    place="Properties of WDP; appendix, equations 54 to 59",
    statement="Rényi differential privacy gives WDP where no two outputs are farther apart than R",
    formula="M is (α, ε)-RDP, ρ(x, y) ≤ R ⇒ W_μ ≤ R min(1, √(ε/2))^(1/μ)",
    repairs="wasserstein-dp-proposition-10",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
    few=40,
)
