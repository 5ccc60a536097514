"""Exact accounting with privacy loss distributions: every error is bounded and taken upward."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.numerics import exact
from wassdp.accounting.rounding import rounded

WIDE = 0.01
"""Relative width of a bracket from which on the guarantee says so in words."""


@dataclass(frozen=True)
class PLDAccountant(Accountant):
    """Upper bound on epsilon from the mechanism's own privacy profile, composed numerically.

    ``epsilon_error`` is the width of a bracket: the smallest epsilon that the dominating pair allows lies
    between ``epsilon - epsilon_error`` and ``epsilon``. Where it is wider than 1 % of epsilon an assumption says so.

    Args:
        accuracy: wanted width of that bracket relative to epsilon, in (0, 1).
    """

    accuracy: float = exact.ACCURACY
    counts_variation = True
    source = "Doroshenko et al. (2022), arXiv:2207.04380, Algorithm 1, on the mechanism's own privacy profile"

    def __post_init__(self) -> None:
        checks.open_unit("accuracy", self.accuracy)

    def supports(self, event: Event) -> str | None:
        return event.refusal()

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self.refuse(event, delta)
        bracket = exact.epsilon(event, delta, accuracy=self.accuracy)
        width = bracket.upper - bracket.lower
        notes: tuple[str, ...] = ()
        if math.isfinite(bracket.upper) and width > WIDE * bracket.upper:
            low, high = rounded(bracket.lower, "lower"), rounded(bracket.upper, "upper")
            notes = (f"wide bracket: the exact epsilon lies between {low} and {high}",)
        return self.guarantee(event, delta, bracket.upper, notes, error=max(0.0, width))

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        self.refuse(event, delta)
        return tuple(self._along(event, count, delta) for count in steps)

    def _along(self, event: Event, steps: int, delta: float) -> Guarantee:
        """One point of a path: its upper value; the bracket, many times dearer, only at the end."""
        first = event.first(steps)
        if steps == event.steps:
            return self.epsilon(first, delta)
        return self.guarantee(first, delta, self.upper(first, delta))

    def upper(self, event: Event, delta: float) -> float:
        self.refuse(event, delta)
        return exact.upper_epsilon(event, delta, accuracy=self.accuracy)
