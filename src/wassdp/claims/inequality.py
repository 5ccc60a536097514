"""A statement of the form "found is at most stated": a search for its worst case, then for the smallest against it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wassdp import checks
from wassdp.claims.claim import Claim
from wassdp.claims.verdict import Counterexample, Verdict

ROUNDING = 1e-9  # relative: found values are sums of a few hundred terms
LARGEST = 1e6  # a ratio beyond this, infinity too, is stated as this
ROUNDS = 200  # steps of shrinking, each to a simpler case that still contradicts
CLEAR = 0.1  # a smallest case keeps at least half of what the worst one has above 1, or so much

Ratio = Callable[[Any], float]


def _no_simpler(case: Any) -> Iterable[Any]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Inequality(Claim):
    """A published inequality, and how to look for what contradicts it. A case is any value that ``str`` describes.

    Args:
        draw: one random case, of a family built to be hard for the statement.
        ratio: found / stated of a case, at most 1 if the statement holds there.
        verified: the same, or less, by code that shares nothing with ``draw`` and ``ratio``: other formulas, another
            library, plain sums. It has to confirm a counterexample.
        corrupted: found / stated of a case where the statement is another one: false if it is true (a constant too
            small), true if it is false (what does hold). See `Claim.flipped`.
        simpler: cases next to a counterexample that are simpler: fewer records, rounder numbers. The first that still
            contradicts is taken, until none does. No chain of them may come back to where it began.
        nearby: a small random change of a case; if given, the second half of a search climbs from the worst case of the
            first half.
        compared: what ``ratio`` is, in words.
        verified_is: what ``verified`` is in words, where it is not the same figure as ``ratio``.
    """

    draw: Callable[[np.random.Generator], Any]
    ratio: Ratio
    verified: Ratio
    corrupted: Ratio
    simpler: Callable[[Any], Iterable[Any]] = _no_simpler
    nearby: Callable[[np.random.Generator, Any], Any] | None = None
    compared: str = "found / stated"
    verified_is: str = ""

    def check(self, generator: np.random.Generator, tried: int) -> Verdict:
        checks.whole("tried", tried, least=1)
        worst, hardest = -math.inf, None
        for number in range(tried):
            climbing = self.nearby is not None and 2 * number >= tried > 1
            case = self.nearby(generator, hardest) if climbing and self.nearby else self.draw(generator)
            ratio = self._ratio(case)
            if ratio > worst:
                worst, hardest = ratio, case
        if worst <= 1 + ROUNDING:
            figure = self.noted(f"largest {self.compared} {worst:.3g} in {tried} cases")
            return Verdict(status="repaired" if self.repairs else "holds here", figure=figure, tried=tried, ratio=worst)
        most = f"up to {worst:.3g}" if worst < LARGEST else f"beyond {LARGEST:g}"
        smallest = self._smallest(hardest, above=1 + max(ROUNDING, min(CLEAR, (worst - 1) / 2)))
        figure = self.noted(f"{self.compared} {most} in {tried} cases")
        return Verdict(status="refuted", figure=figure, tried=tried, ratio=worst, counterexample=smallest)

    def flipped(self, folder: Path) -> Inequality:
        return replace(self, ratio=self.corrupted, verified=self.corrupted)

    def _ratio(self, case: Any) -> float:
        ratio = float(self.ratio(case))
        if math.isnan(ratio):
            raise ValueError(f"{self.item}: a case gives no number: {case}")
        return min(ratio, LARGEST)

    def _smallest(self, case: Any, *, above: float) -> Counterexample:
        """Shrink a contradicting case while simpler ones contradict too, and have independent code say so as well.

        Raises:
            ValueError: independent code does not find a contradiction there: the search is wrong, not the paper.
        """
        for _ in range(ROUNDS):
            nearer = next((other for other in self.simpler(case) if self._ratio(other) > above), None)
            if nearer is None:
                break
            case = nearer
        ratio, verified = self._ratio(case), min(float(self.verified(case)), LARGEST)
        if not verified > 1 + ROUNDING:
            raise ValueError(f"{self.item}: {self.compared} {ratio:.6g}, by independent code {verified:.6g}, at {case}")
        return Counterexample(
            case=str(case), ratio=ratio, verified=verified, compared=self.compared, verified_is=self.verified_is
        )
