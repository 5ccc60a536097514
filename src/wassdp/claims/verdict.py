"""A statement of the form "found is at most stated", the search for its worst case, and what came out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wassdp import checks

ROUNDING = 1e-9  # relative: found values are sums of a few hundred terms
LARGEST = 1e6  # a ratio beyond this, infinity too, is stated as this


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A published inequality.

    Args:
        paper: short name, the folder of the paper's figures.
        where: theorem, with its paper.
        statement: what it says, in one line.
        ratio: draws one case and gives found / stated, at most 1 if the statement holds there.
    """

    paper: str
    where: str
    statement: str
    ratio: Callable[[np.random.Generator], float]

    def check(self, generator: np.random.Generator, tried: int) -> Verdict:
        """The worst of ``tried`` cases.

        Raises:
            ValueError: no case is asked for, or a case gives no number.
        """
        checks.whole("tried", tried, least=1)
        worst = 0.0
        for _ in range(tried):
            ratio = self.ratio(generator)
            if math.isnan(ratio):
                raise ValueError(f"{self.where}: a case gives no number")
            worst = max(worst, min(ratio, LARGEST))
        return Verdict(tried=tried, largest=worst)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a check found.

    Args:
        tried: number of cases.
        largest: largest found / stated.
    """

    tried: int
    largest: float

    @property
    def holds(self) -> bool:
        """No case contradicts the statement, rounding aside. That is no proof; a contradiction is one."""
        return self.largest <= 1 + ROUNDING

    @property
    def words(self) -> str:
        """The verdict and its figure.

        >>> Verdict(tried=100, largest=0.5).words, Verdict(tried=100, largest=7.0).words
        ('held in all 100 cases; largest found / stated 0.5', 'refuted; found / stated up to 7 in 100 cases')
        """
        if self.holds:
            return f"held in all {self.tried} cases; largest found / stated {self.largest:.3g}"
        most = f"up to {self.largest:.3g}" if self.largest < LARGEST else f"beyond {LARGEST:g}"
        return f"refuted; found / stated {most} in {self.tried} cases"
