"""SWD Property 1: the smoothed sliced distance is 0 for equal distributions alone.

Pairs of mixtures of Gaussians are equal (the same centres in another order) or not; many of the latter have the same
mean, or the same projection on some direction. A distance counts as 0 below what its computation resolves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.smoothing import Centres, Mixtures, directions, draw, plain_power, power, root, simpler

RESOLVED = 1e-9


def _draw(generator: np.random.Generator) -> Mixtures:
    case = draw(generator)
    a = case.first
    kind = generator.integers(4)
    if kind == 0:
        b: Centres = a[::-1]
    elif kind == 1:  # seen along the first axis, nothing differs
        b = tuple((x, y + float(generator.normal())) for x, y in a)
    elif kind == 2:  # the same mean
        x, y = np.mean(a, axis=0)
        step = float(generator.uniform(0.2, 1))
        b = ((float(x) - step, float(y)), (float(x) + step, float(y)))
    else:
        b = case.second
    return replace(case, second=b)


def _equal(case: Mixtures) -> bool:
    """Both have the same centres, equally often."""
    size = len(case.first) * len(case.second)
    return sorted(case.first * (size // len(case.first))) == sorted(case.second * (size // len(case.second)))


def _ratio(case: Mixtures, count: int | None = None) -> float:
    """Along all directions of a search, or only the first ones."""
    distance = root(power(case.first, case.second, case, directions(case)[:, :count]), case.order)
    return distance / RESOLVED if _equal(case) else RESOLVED / max(distance, 1e-300)


def _plain(case: Mixtures) -> float:
    distance = math.pow(plain_power(case.first, case.second, case), 1 / case.order)
    same = {point: case.first.count(point) / len(case.first) for point in case.first} == {
        point: case.second.count(point) / len(case.second) for point in case.second
    }
    return distance / RESOLVED if same else RESOLVED / max(distance, 1e-300)


def _simpler(case: Mixtures) -> Iterator[Mixtures]:
    yield from (other for other in simpler(case) if other.third == case.third)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Property 1",
    place="Section 3.2",
    statement="the smoothed sliced distance of continuous distributions is 0 if and only if they are equal",
    formula="D(μ, ν) = 0 ⇔ μ = ν, for every σ > 0 and q ≥ 1",
    compared="distance of equal ones / resolution, resolution / distance of others",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: _ratio(case, 1),
    simpler=_simpler,
    usual=300,
    few=60,
)
