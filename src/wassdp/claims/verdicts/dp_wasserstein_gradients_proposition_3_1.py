"""WG Proposition 3.1, for samples of any sizes with ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.line_couplings import Samples, assigned, draw, exact, exact_weights, simpler, weights
from wassdp.claims.moved_gradients import shares


def _apart(found: float, stated: float) -> float:
    if max(found, stated) < 1e-12:
        return 0.0
    return max(found, stated) / max(min(found, stated), 1e-300)


def _ratio(case: Samples) -> float:
    u, v = np.array(case.u), np.array(case.v)
    return _apart(assigned(u, v), float((weights(u, v) * (u[:, None] - v) ** 2).sum()))


def _plain(case: Samples) -> float:
    u, v = ([Fraction(value) for value in side] for side in (case.u, case.v))
    table = exact_weights(u, v)
    stated = sum((table[i][j] * (a - b) ** 2 for i, a in enumerate(u) for j, b in enumerate(v)), Fraction(0))
    found = exact(u, v)
    if found == stated:
        return float(found > 0)
    return float(max(found, stated) / min(found, stated)) if min(found, stated) > 0 else float("inf")


def _unsorted(case: Samples) -> float:
    """R at the points' own places."""
    u, v = np.array(case.u), np.array(case.v)
    return _apart(assigned(u, v), float((shares(u.size, v.size) * (u[:, None] - v) ** 2).sum()))


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Proposition 3.1",
    place="Section 3; proof in Section A.1",
    statement="the squared distance of two samples on the line is a sum of squared differences weighted by ranks",
    formula="W₂²(P_U, P_V) = Σ_ij R_{σ(i),τ(j)} (U_i - V_j)², R_ij = |((i-1)/n, i/n] ∩ ((j-1)/m, j/m]|",
    compared="the larger of found / stated and stated / found",
    draw=draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_unsorted,
    simpler=simpler,
    usual=10000,
    few=300,
)
