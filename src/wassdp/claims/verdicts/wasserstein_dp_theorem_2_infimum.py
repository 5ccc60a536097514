"""WDP Theorem 2, the infimum over d_t: the loss at the *nearest* of the neighbouring gradients.

A budget has to hold for any two neighbours (Definition 3), so for the farthest ones. All records are sampled here,
where the mixture is one normal law and W_μ = d without any doubt; the second pair differs by a hundredth of the first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Step, draw, quadrature, simpler

NEAREST = 0.01  # of the farthest distance


def _drawn(generator: np.random.Generator) -> Step:
    return replace(draw(generator), rate=1.0)


def _ratio(found: Step) -> float:
    return found.exact() / replace(found, distance=NEAREST * found.distance).printed()


def _verified(found: Step) -> float:
    return float(found.distance / quadrature(replace(found, distance=NEAREST * found.distance)))


def _farthest(found: Step) -> float:
    return found.exact() / found.printed()


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 2",
    place="Privacy Loss and Absolute Moment, equation 11, the infimum",
    statement="the loss at the nearest neighbouring gradients bounds that of all neighbours",
    formula="W_μ(M_t(D), M_t(D')) ≤ inf over d_t of [Σ_i E|Z_ti|^μ]^(1/μ) for all neighbours D, D'",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_farthest,
    simpler=simpler,
)
