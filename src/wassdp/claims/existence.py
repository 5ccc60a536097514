"""A statement that something does happen: a search for an example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wassdp import checks
from wassdp.claims.claim import Claim
from wassdp.claims.inequality import ROUNDING
from wassdp.claims.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Existence(Claim):
    """A published statement that an inequality is broken somewhere. One example makes it true.

    Where there is none a search alone cannot contradict it: ``proof`` says why there is none.

    Args:
        draw: one random case, of a family built to break the inequality.
        ratio: left over right side of the inequality; above 1 it is broken.
        corrupted: the same of an inequality for which the answer is the other one. See `Claim.flipped`.
        proof: why no case breaks the inequality, in words, if that is so. No single case can show it.
        verified: the same as ``ratio`` by code that shares nothing with ``draw`` and ``ratio``, beside a proof: it may
            not find an example either.
        compared: what ``ratio`` is, in words.
    """

    draw: Callable[[np.random.Generator], Any]
    ratio: Callable[[Any], float]
    corrupted: Callable[[Any], float]
    proof: str = ""
    verified: Callable[[Any], float] | None = None
    compared: str = "left / right side"

    def check(self, generator: np.random.Generator, tried: int) -> Verdict:
        checks.whole("tried", tried, least=1)
        cases = [self.draw(generator) for _ in range(tried)]
        ratios = [float(self.ratio(case)) for case in cases]
        if not all(ratio >= 0 for ratio in ratios):
            raise ValueError(f"{self.item}: a case gives no number of at least 0")
        largest = max(ratios)
        figure = f"largest {self.compared} {largest:.4g} in {tried} cases"
        if largest > 1 + ROUNDING:
            example = f"{figure}, at {cases[ratios.index(largest)]}"
            return Verdict(status="holds here", figure=self.noted(example), tried=tried, ratio=largest)
        if self.verified is not None:
            figure += f", by independent code {self._largest_verified(self.verified, cases):.4g}"
        why = f", and {self.proof}" if self.proof else ""
        return Verdict(status="refuted", figure=self.noted(f"{figure}{why}"), tried=tried, ratio=largest)

    def flipped(self, folder: Path) -> Existence:
        return replace(self, ratio=self.corrupted, verified=None)

    def _largest_verified(self, verified: Callable[[Any], float], cases: Sequence[Any]) -> float:
        """The largest of all cases by independent code.

        Raises:
            ValueError: it breaks the inequality somewhere: the search is wrong, not the paper.
        """
        ratios = [float(verified(case)) for case in cases]
        for case, ratio in zip(cases, ratios, strict=True):
            if not ratio <= 1 + ROUNDING:
                raise ValueError(f"{self.item}: {self.compared} by independent code {ratio:.6g}, at {case}")
        return max(ratios)
