"""WDP Basic Mechanisms: budgets grow with μ, "which corresponds to our monotonicity property (see Proposition 4)".

At the scales and the sensitivity of Figure 1; at others see `wasserstein-dp-table-1-order`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, gaussian, laplace, simpler


def _drawn(generator: np.random.Generator) -> Translates:
    found = (laplace if generator.random() < 0.5 else gaussian)(generator)
    scale = float(generator.choice([1.0, 2.0, 3.0, 5.0]))
    order = min(found.order, 5.0)  # compared with twice the order; the figure ends at 10
    return replace(found, scale=scale, sensitivity=1.0, order=order, renyi_order=math.inf)


def _ratio(found: Translates) -> float:
    return found.printed() / replace(found, order=2 * found.order).printed()


def _verified(found: Translates) -> float:
    inverse = 1 / found.scale
    root = math.sqrt(2 * (inverse + math.exp(-inverse) - 1)) if found.noise == "laplace" else inverse
    return float(root ** (1 / found.order) / root ** (1 / (2 * found.order)))


def _quieter(found: Translates) -> float:
    """The same with a tenth of the noise."""
    return _ratio(replace(found, scale=found.scale / 10))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Figure 1",
    place="Experiments, Basic Mechanisms",
    statement="the printed WDP budgets of Figure 1 grow with the order",
    formula="budget of Table 1 at μ ≤ budget of Table 1 at 2μ, scales 1, 2, 3, 5, Δ = 1",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_quieter,
    simpler=simpler,
    compared="budget at μ / budget at 2μ",
)
