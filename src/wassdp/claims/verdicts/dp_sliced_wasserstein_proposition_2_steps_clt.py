"""SWD Proposition 2 over T steps with the CLT bound: the tail event is counted once.

Each step exceeds w(k, δ/2) with a probability of a few times δ/2; one of T steps nearly always, or with a probability
far above δ/2. It is the argument that fails, not the budget: of the same releases an exact account, in which the
sensitivity stays random, proves less than 10 (docs/theory.md, section 8).
"""

from __future__ import annotations

import math
from statistics import NormalDist

from wassdp.accounting.formulas.sliced_tails import bernstein, central_limit
from wassdp.claims.inequality import Inequality
from wassdp.claims.projections import beyond, law
from wassdp.claims.steps_of_releases import Bound, Run, draw, ever

POINTS = 1 << 20


def _ratio(case: Run, bound: Bound) -> float:
    row = case.setting
    w = bound(row.projections, row.dimension, row.delta / 2)
    return ever(beyond(row.projections, row.dimension, w), row.steps) / (row.delta / 2)


def _plain(case: Run) -> float:
    """By the lower end of the Fourier transform's bracket."""
    row = case.setting
    k, d = row.projections, row.dimension
    normal = NormalDist(k / d, math.sqrt(2 * k * (d - 1) / (d**2 * (d + 2))))
    once = law(k, d, POINTS).exceeded(normal.inv_cdf(1 - row.delta / 2))[0]
    return (1 - (1 - once) ** row.steps) / (row.delta / 2)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Proposition 2, T steps, CLT bound",
    place="Section 4, tracking the privacy loss; Table 4, rows (c)",
    statement="over all T steps of a run the sensitivity exceeds the CLT bound w(k, δ/2) with probability at most δ/2",
    formula="P(max_{t ≤ T} H_t > w(k, δ/2)) ≤ δ/2, w of the CLT bound",
    compared="probability / (δ/2)",
    draw=lambda generator: draw(generator, central=True),
    ratio=lambda case: _ratio(case, central_limit),
    verified=_plain,
    corrupted=lambda case: _ratio(case, bernstein),
    usual=10,
    few=6,
)
