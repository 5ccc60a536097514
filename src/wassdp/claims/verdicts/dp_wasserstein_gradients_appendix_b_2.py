"""WG Appendix B.2: the law of the response given the attribute, on cells of a grid in the unit square.

A mixture of the uniform laws on the triangles below and above the diagonal from (0, 1) to (1, 0). With its weights the
cells below the diagonal, above it, and those it cuts in halves have masses of their own.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from wassdp.claims.biased_draws import People, draw, over_chance, simpler
from wassdp.claims.inequality import Inequality

SIDE = 4


def _stated(weight: float) -> dict[tuple[int, ...], float]:
    """Masses of the cells where the triangle at the origin has this weight."""
    below, above = 2 * weight / SIDE**2, 2 * (1 - weight) / SIDE**2
    masses = {-1: below, 0: (below + above) / 2, 1: above}
    return {(i, j): masses[int(np.sign(i + j + 1 - SIDE))] for i in range(SIDE) for j in range(SIDE)}


def _gap(case: People, weights: tuple[float, float]) -> float:
    people = case.drawn()
    cells = (people.response * SIDE).astype(int) @ (SIDE, 1)
    gaps = []
    for attribute, weight in enumerate(weights):
        chosen = np.bincount(cells[people.sensitive == attribute], minlength=SIDE**2)
        stated = _stated(weight)
        counts = {cell: float(chosen[SIDE * cell[0] + cell[1]]) for cell in stated}
        gaps.append(over_chance(counts, stated, int(chosen.sum())))
    return max(gaps)


def _ratio(case: People) -> float:
    return _gap(case, (case.agreement, 1 - case.agreement))


def _plain(case: People) -> float:
    """Of half and quarter triangles: those by the diagonal's middle, and the squares at its corners."""
    weights = {0: case.agreement, 1: 1 - case.agreement}
    people: Counter[int] = Counter()
    inside: Counter[tuple[int, str]] = Counter()
    for first, second, _, attribute in case.plain():
        people[attribute] += 1
        if first + second < 1:
            inside[attribute, "below"] += 1
        if first + second < 0.5:
            inside[attribute, "corner"] += 1
        if first > 0.5 and second > 0.5:
            inside[attribute, "square"] += 1
    worst = 0.0
    for attribute, weight in weights.items():
        for name, share in (("below", weight), ("corner", weight / 4), ("square", (1 - weight) / 2)):
            error = (people[attribute] * share * (1 - share)) ** 0.5
            worst = max(worst, abs(inside[attribute, name] - people[attribute] * share) / (6 * error))
    return worst


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Appendix B.2, the response given the attribute",
    place="Appendix B.2, second sentence",
    statement="given the attribute the response is uniform on two triangles, with weights p and 1 - p, or vice versa",
    formula="Y^C | A = 0 ~ p U(T_0) + (1-p) U(T_1), Y^C | A = 1 ~ (1-p) U(T_0) + p U(T_1)",
    compared="distance from the stated mass of a cell / what chance explains",
    draw=draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: _gap(case, (1 - case.agreement, case.agreement)),
    simpler=simpler,
    usual=500,
    few=20,
)
