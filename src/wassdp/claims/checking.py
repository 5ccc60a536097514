"""Statements put to the test one after the other."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wassdp import checks, claims
from wassdp.claims.claim import Claim
from wassdp.claims.measurement import Measured
from wassdp.claims.verdict import Verdict

Effort = int | Literal["few", "usual"]


@dataclass(frozen=True)
class Checked:
    """A statement, what its check found, and what that took in seconds."""

    name: str
    claim: Claim
    verdict: Verdict
    seconds: float

    @property
    def line(self) -> str:
        """One line: item, verdict, figure."""
        return f"{self.claim.paper}: {self.claim.where}: {self.verdict.status}: {self.verdict.figure}"

    def as_json(self) -> dict[str, Any]:
        """Everything that is said, by name."""
        example, verdict = self.verdict.counterexample, self.verdict
        words = {key: getattr(self.claim, key) for key in ("paper", "item", "place", "statement", "formula", "repairs")}
        found = {"verdict": verdict.status, "figure": verdict.figure, "tried": verdict.tried, "ratio": verdict.ratio}
        return {"claim": self.name, **words, **found, "counterexample": None if example is None else example.words}


def effort(claim: Claim, tried: Effort) -> int:
    """The number of cases that is asked for."""
    return {"few": claim.few, "usual": claim.usual}[tried] if isinstance(tried, str) else tried


def asked(patterns: Sequence[str]) -> tuple[str, ...]:
    """Names of claims: those that are given, where ``*`` stands for any letters; all if none are.

    Raises:
        ValueError: nothing is called so.

    >>> asked(["tangent-theorem-3-3*"])
    ('tangent-theorem-3-3', 'tangent-theorem-3-3-repaired')
    """
    known = claims.names()
    found: dict[str, None] = {}
    for pattern in patterns or ("*",):
        fitting = fnmatch.filter(known, pattern)
        if not fitting:
            checks.one_of("claim", pattern, known, listed=claims.LISTED)
        found.update(dict.fromkeys(fitting))
    return tuple(found)


def checked(
    names: Sequence[str], *, tried: Effort = "usual", seed: int = 0, results: Path | None = None
) -> Iterator[Checked]:
    """Every statement with its verdict, one after the other.

    Args:
        names: of claims.
        tried: cases of a search.
        seed: of each search, by itself: what else is checked changes nothing.
        results: published sets, or a results folder, for sentences about experiments; None: those of this checkout.

    Raises:
        ValueError: a name is unknown, or ``tried`` no positive whole number.
    """
    for name in names:
        claim = claims.claim(name)
        if results is not None and isinstance(claim, Measured):
            claim = claim.within(results)
        begun = time.monotonic()
        verdict = claim.check(np.random.default_rng(seed), effort(claim, tried))
        yield Checked(name, claim, verdict, time.monotonic() - begun)
