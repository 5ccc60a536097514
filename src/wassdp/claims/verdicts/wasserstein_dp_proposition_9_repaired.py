"""WDP Proposition 9 where no two outputs are farther apart than R.

There the step ρ ≤ R·1[x ≠ y] is true: W_μ ≤ R TV^(1/μ), and ε-DP bounds TV by tanh(ε/2), which randomised response
reaches. The paper's bound of TV, half of √(2ε(e^ε − 1)), is larger; but ½ has to stay inside the power 1/μ.
"""

from __future__ import annotations

import math

from wassdp.accounting.formulas.wasserstein_conversions import from_pure
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import quotient
from wassdp.claims.masses import Masses, by_quantiles, draw, simpler


def _ratio(found: Masses) -> float:
    return quotient(found.distance(), found.diameter * math.tanh(found.pure_epsilon() / 2) ** (1 / found.order))


def _verified(found: Masses) -> float:
    epsilon = max(abs(math.log(p) - math.log(q)) for p, q in zip(*found.weights[:2], strict=True))
    odds = (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
    diameter = max(found.places) - min(found.places)
    return float(by_quantiles(found) / (diameter * odds ** (1 / found.order)))


def _printed(found: Masses) -> float:
    printed = from_pure(found.pure_epsilon(), found.order, sensitivity=found.diameter)
    return quotient(found.distance(), printed)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 9",
    place="Properties of WDP; appendix, equations 51 to 53",
    statement="pure differential privacy gives WDP where no two outputs are farther apart than R",
    formula="M is ε-DP, ρ(x, y) ≤ R ⇒ W_μ ≤ R tanh(ε/2)^(1/μ)",
    repairs="wasserstein-dp-proposition-9",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
    few=40,
)
