"""Training losses with noise beside those without, as figures of the gradients paper draw them: their mean over seeds.

"Very close" is read as: over all steps drawn the curves are apart by a twentieth of the loss without noise on average.
What seeds alone may make of that is half the range of the seeds, of both curves, averaged the same way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean

from wassdp.claims.fair_figures import SLIGHT
from wassdp.claims.measurement import Row, Rows, number
from wassdp.claims.recomputed import Entry


def entries(rows: Rows, figures: Sequence[str]) -> list[Entry]:
    """One for each curve with noise; what is found is the mean distance over the mean loss without noise."""
    return [entry for figure in figures for entry in _of_figure(figure, rows[figure])]


def _of_figure(figure: str, rows: Sequence[Row]) -> list[Entry]:
    curves: dict[tuple[str, float], dict[float, Row]] = {}
    for row in rows:
        curves.setdefault((row["alpha"], number(row, "target")), {})[number(row, "step")] = row
    found = []
    for (weight, budget), curve in curves.items():
        if math.isinf(budget):
            continue
        plain = curves[weight, math.inf]
        level = fmean(number(row, "mean") for row in plain.values())
        gap = fmean(abs(number(row, "mean") - number(plain[step], "mean")) for step, row in curve.items())
        spread = _half_range(curve.values()) + _half_range(plain.values())
        name = f"{figure.replace('-', ' ')}, α = {float(weight):g}, ε = {budget:g}: distance of the curves / loss"
        found.append(Entry(name=name, printed=SLIGHT, found=gap / level, spread=spread / level, relation="at most"))
    return found


def _half_range(rows: Iterable[Row]) -> float:
    return fmean((number(row, "most") - number(row, "least")) / 2 for row in rows)
