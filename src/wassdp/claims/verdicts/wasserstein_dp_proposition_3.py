"""WDP Proposition 3, non-negativity: 1 − W/S ≤ 1 for the largest distance S of two points, so that 0 shows as 1."""

from __future__ import annotations

import math

from scipy.spatial.distance import pdist

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, draw, simpler


def _fraction(found: Laws) -> float:
    scale = max(pdist(found.points.reshape(-1, found.points.shape[2])), default=0.0)
    return found.distance(0, 1) / scale if scale > 0 else 0.0


def _ratio(found: Laws) -> float:
    return 1 - _fraction(found)


def _verified(found: Laws) -> float:
    first, second = found.points.tolist()
    scale = max(math.dist(one, other) for one in [*first, *second] for other in [*first, *second])
    return 1 - plain.best_assignment(first, second, found.order) / scale if scale > 0 else 1.0


def _above(found: Laws) -> float:
    return (1 - _fraction(found)) / (1 - 1e-6)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 3",
    place="Properties of WDP",
    statement="the privacy loss is never negative",
    formula="W_μ(M(D), M(D')) ≥ 0",
    draw=lambda generator: draw(generator, laws=2),
    ratio=_ratio,
    verified=_verified,
    corrupted=_above,
    simpler=simpler,
    compared="1 − W/S",
)
