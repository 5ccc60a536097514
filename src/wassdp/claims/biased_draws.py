"""Samples of the synthetic people of WG Appendix B, by what their counts are apart from what is stated of them.

Claims draw with `wassdp.data.sets.biased`; what confirms them draws person by person.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from wassdp.claims import shrinking
from wassdp.data.sets import biased

ERRORS = 6.0  # standard errors of a count: one seed in 10^8 is further off
PLAIN = 2000  # people who are drawn one by one

Shares = Mapping[tuple[int, ...], float]


@dataclass(frozen=True)
class People:
    """n, p and the seed."""

    size: int
    agreement: float
    seed: int

    def __str__(self) -> str:
        return f"n = {self.size} people of seed {self.seed}, p = {self.agreement:.6g}"

    def drawn(self) -> biased.Biased:
        """The sample; features take no part."""
        generator = np.random.default_rng(self.seed)
        return biased.sample(generator, size=self.size, agreement=self.agreement, core=2, spurious=1)

    def plain(self) -> Iterator[tuple[float, float, int, int]]:
        """People one by one: both coordinates of Y^C, Y and A."""
        generator = random.Random(self.seed)
        for _ in range(PLAIN):
            first, second = generator.random(), generator.random()
            label = 1 if second > 1 - first else 0
            coin = 1 if generator.random() < self.agreement else 0
            yield first, second, label, coin * label + (1 - coin) * (1 - label)


def draw(generator: np.random.Generator) -> People:
    """A thousand people and more; p as in the paper, or another."""
    agreement = 0.7 if generator.random() < 0.3 else float(generator.uniform(0.1, 0.9))
    return People(int(generator.integers(1000, 30_001)), agreement, int(generator.integers(1 << 31)))


def simpler(case: People) -> Iterator[People]:
    """Fewer people, or a rounder p."""
    yield from shrinking.smaller(case, "size", least=1000)
    for other in shrinking.rounder(case, "agreement"):
        if 0.1 <= other.agreement <= 0.9:
            yield other


def over_chance(counts: Shares, stated: Shares, people: int) -> float:
    """Largest distance of a count from what is stated, over what chance explains."""
    return max(
        abs(counts.get(cell, 0.0) - people * share) / (ERRORS * math.sqrt(people * share * (1 - share)))
        for cell, share in stated.items()
    )
