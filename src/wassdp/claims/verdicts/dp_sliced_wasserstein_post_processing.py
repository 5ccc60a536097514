"""SWD Section 3.1: DP-SWD "inherits the differential property" of noisy projections "owing to the post-processing"."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import mpmath
import numpy as np

from wassdp.claims import outcomes, shrinking
from wassdp.claims.inequality import Inequality
from wassdp.claims.outcomes import Pair


@dataclass(frozen=True)
class Case:
    """Two neighbours' outcomes, a random map of them (odds of its images, a row for each outcome), and ε."""

    pair: Pair
    rows: tuple[tuple[float, ...], ...]
    epsilon: float

    def __str__(self) -> str:
        rows = "; ".join(", ".join(f"{odds:.6g}" for odds in row) for row in self.rows)
        return f"{self.pair}, mapped with odds ({rows}), ε = {self.epsilon:.6g}"


def _draw(generator: np.random.Generator) -> Case:
    pair = outcomes.draw(generator)
    rows = generator.dirichlet(np.full(int(generator.integers(2, 4)), 0.2), size=len(pair.p))
    return Case(pair, tuple(tuple(row) for row in (rows + 1e-3).tolist()), float(generator.uniform(0, 2)))


def _after(case: Case) -> float:
    p, q = case.pair.arrays
    rows = np.array(case.rows)
    kernel = rows / rows.sum(axis=1, keepdims=True)
    return outcomes.hockey_stick(p @ kernel, q @ kernel, case.epsilon)


def _ratio(case: Case) -> float:
    before, after = outcomes.hockey_stick(*case.pair.arrays, case.epsilon), _after(case)
    return 0.0 if after < 1e-12 else after / before


def _plain(case: Case) -> float:
    with mpmath.workdps(50):
        p, q = outcomes.plain(case.pair)
        kernel = [[mpmath.mpf(odds) / sum(map(mpmath.mpf, row)) for odds in row] for row in case.rows]
        images = range(len(kernel[0]))
        sides = [[sum(side[i] * kernel[i][j] for i in range(len(side))) for j in images] for side in (p, q)]
        factor = mpmath.e ** mpmath.mpf(case.epsilon)
        before, after = outcomes.over_events(p, q, factor), outcomes.over_events(sides[0], sides[1], factor)
        return 0.0 if after < 1e-12 else float(after / before)


def _smaller_factor(case: Case) -> float:
    """A map that would even make ε a tenth smaller."""
    before = outcomes.hockey_stick(*case.pair.arrays, case.epsilon)
    p, q = case.pair.arrays
    rows = np.array(case.rows)
    kernel = rows / rows.sum(axis=1, keepdims=True)
    after = outcomes.hockey_stick(p @ kernel, q @ kernel, case.epsilon - 0.1)
    return 0.0 if after < 1e-12 else after / before if before > 0 else math.inf


def _simpler(case: Case) -> Iterator[Case]:
    yield from shrinking.rounder(case, "epsilon", "rows")


def _possible(case: Case) -> bool:
    return min(min(row) for row in case.rows) >= 0 and all(sum(row) > 0 for row in case.rows)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Section 3.1, post-processing",
    place="Section 3.1, last sentence",
    statement="a function of the noisy projections has every (ε, δ) that the projections have",
    formula="H_{e^ε}(KP‖KQ) ≤ H_{e^ε}(P‖Q) for every random map K",
    compared="δ after / before the map",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_smaller_factor,
    simpler=lambda case: filter(_possible, _simpler(case)),
    usual=5000,
    few=300,
)
