"""WG Proposition 3.2: the gradient in the points of one side, which differ; those of the other side may be equal.

Where no rank changes the distance is quadratic in a point, so that a central difference is exact. Equations 1 and 2
are the same up to the names of the sides: U is either.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.line_couplings import Samples, assigned, draw, exact, exact_weights, simpler, weights

STEP = 1e-3
TOLERANCE = 1e-8


def _difference(case: Samples, factor: float) -> float:
    """Largest difference of an equation with ``factor`` in front and central differences, over what rounding gives."""
    u, v = np.array(case.u), np.array(case.v)
    stated = factor * (weights(u, v) * (u[:, None] - v)).sum(axis=1)
    found = [(assigned(u + step, v) - assigned(u - step, v)) / (2 * STEP) for step in STEP * np.eye(u.size)]
    return float(np.abs(stated - found).max()) / TOLERANCE


def _plain(case: Samples) -> float:
    u, v = ([Fraction(value) for value in side] for side in (case.u, case.v))
    table, step, worst = exact_weights(u, v), Fraction(1, 1000), Fraction(0)
    for place in range(len(u)):
        up, down = (exact([*u[:place], u[place] + move, *u[place + 1 :]], v) for move in (step, -step))
        stated = 2 * sum((table[place][j] * (u[place] - b) for j, b in enumerate(v)), Fraction(0))
        worst = max(worst, abs((up - down) / (2 * step) - stated))
    return float(worst) / TOLERANCE


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Proposition 3.2",
    place="Section 3, equations 1 and 2",
    statement="where the points of a side differ, the distance's gradient in them is a sum of differences",
    formula="∂W₂²/∂U_i = 2 Σ_j R_{σ(i),τ(j)} (U_i - V_j) where U_(1) < ... < U_(n)",
    compared="difference / rounding",
    draw=lambda generator: draw(generator, distinct=True),
    ratio=lambda case: _difference(case, 2.0),
    verified=_plain,
    corrupted=lambda case: _difference(case, 1.0),
    simpler=lambda case: (other for other in simpler(case) if len(set(other.u)) == len(other.u)),
    usual=5000,
    few=200,
)
