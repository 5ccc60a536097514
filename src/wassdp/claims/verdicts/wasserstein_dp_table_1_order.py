"""WDP Table 1 beyond Figure 1, against Proposition 4: a budget that is a distance grows with μ.

The paper says it of Figure 1. At its scales, with sensitivity 1, they do (`wasserstein-dp-figure-1-order`): what stands
under the power 1/μ is at most 1 there. Table 1 is stated for every scale and sensitivity; where there is less noise its
budgets fall as μ grows. (The true distance is the sensitivity, for every μ.)
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import Translates, gaussian, laplace, simpler


def _drawn(generator: np.random.Generator) -> Translates:
    found = (laplace if generator.random() < 0.5 else gaussian)(generator)
    return replace(found, renyi_order=math.inf)


def _ratio(found: Translates) -> float:
    return found.printed() / replace(found, order=2 * found.order).printed()


def _verified(found: Translates) -> float:
    """(...)^(1/μ) over (...)^(1/(2μ)), of Table 1."""
    inverse = 1 / found.scale
    root = (
        math.sqrt(2 * (inverse + math.exp(-inverse) - 1)) if found.noise == "laplace" else found.sensitivity * inverse
    )
    return float(root ** (1 / found.order) / root ** (1 / (2 * found.order)))


def _in_figure(found: Translates) -> float:
    """The same at the scales and the sensitivity of Figure 1."""
    scale = min((1.0, 2.0, 3.0, 5.0), key=lambda each: abs(math.log(each / found.scale)))
    return _ratio(replace(found, scale=scale, sensitivity=1.0))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Table 1",
    place="Basic Mechanisms, with Table 1 and Proposition 4",
    statement="at every scale, not only those of Figure 1, Table 1's budgets grow with the order",
    formula="budget of Table 1 at μ ≤ budget of Table 1 at 2μ",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_in_figure,
    simpler=simpler,
    note="The paper says it of Figure 1, where it holds (wasserstein-dp-figure-1-order); it fails with less noise",
    compared="budget at μ / budget at 2μ",
)
