"""Two settings that were run with the same seeds: how far they are apart, and what the seeds alone may make of that."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from scipy import special

from wassdp.claims.measurement import Row

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Pair:
    """Means of a figure over the same seeds in two settings, and half the width of the interval of their difference.

    The interval is Student's for the differences seed by seed, at 95 %: a seed draws the same records in both.
    """

    before: float
    after: float
    spread: float


def paired(before: Sequence[Row], after: Sequence[Row], figure: Callable[[Row], float]) -> Pair:
    """Compare two settings.

    Args:
        before: runs of one setting.
        after: runs of the other, of the same seeds.
        figure: what is compared.

    Raises:
        ValueError: they have other seeds, or fewer than two.

    >>> before, after = [{"seed": "0", "loss": "1"}, {"seed": "1", "loss": "2"}], [{"seed": "1", "loss": "4"}]
    >>> pair = paired(before, [*after, {"seed": "0", "loss": "2"}], lambda row: float(row["loss"]))
    >>> pair.before, pair.after, round(pair.spread, 3)
    (1.5, 3.0, 6.353)
    """
    sides = [{row["seed"]: figure(row) for row in rows} for rows in (before, after)]
    if sides[0].keys() != sides[1].keys() or len(sides[0]) < 2:
        names = " and ".join(", ".join(sorted(side)) or "none" for side in sides)
        raise ValueError(f"seeds = {names}: must be the same of both settings, two at least")
    spread = half_width([sides[1][seed] - value for seed, value in sides[0].items()])
    return Pair(fmean(sides[0].values()), fmean(sides[1].values()), spread)


def half_width(values: Collection[float]) -> float:
    """Half the width of Student's interval of the mean, at 95 %; NaN where one value has none, or where one is missing.

    Args:
        values: one of each seed.

    >>> round(half_width([0.8, 0.9]), 3), half_width([0.8]), half_width([0.8, math.nan])
    (0.635, nan, nan)
    """
    if len(values) < 2 or any(map(math.isnan, values)):
        return math.nan
    quantile = float(special.stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2))
    return quantile * stdev(values) / math.sqrt(len(values))
