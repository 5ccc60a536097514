"""Exact accounting with privacy loss distributions: every error is bounded and taken upward."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee, as_epsilon
from wassdp.accounting.numerics import exact
from wassdp.accounting.profiles import dominating
from wassdp.accounting.rounding import rounded

WIDE = 0.01
"""Relative width of a bracket from which on the guarantee says so in words."""


@dataclass(frozen=True)
class Accountant:
    """Upper bound on epsilon from the mechanism's own privacy profile, composed numerically.

    ``epsilon_error`` is the width of a bracket: the smallest epsilon that the dominating pair allows lies
    between ``epsilon - epsilon_error`` and ``epsilon``. Where it is wider than 1 % of epsilon an assumption says so.

    Args:
        accuracy: wanted width of that bracket relative to epsilon.
    """

    accuracy: float = exact.ACCURACY
    source: str = "Doroshenko et al. (2022), arXiv:2207.04380, Algorithm 1, on the mechanism's own privacy profile"

    def supports(self, event: Event) -> str | None:
        return event.refusal()

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self._check(event, delta)
        return self._guarantee(event, delta, exact.epsilon(event, delta, accuracy=self.accuracy))

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        self._check(event, delta)
        return tuple(self._along(event, count, delta) for count in steps)

    def _along(self, event: Event, steps: int, delta: float) -> Guarantee:
        """One point of a path: its upper value; the bracket, many times dearer, only at the end."""
        first = event.first(steps)
        if steps == event.steps:
            return self.epsilon(first, delta)
        value = self.upper(first, delta)
        return self._guarantee(first, delta, exact.Bracket(value, value)).model_copy(update={"epsilon_error": None})

    def upper(self, event: Event, delta: float) -> float:
        """The upper value alone, for half its price: what calibration asks for.

        Raises:
            ValueError: as for `epsilon`.
        """
        self._check(event, delta)
        return exact.upper_epsilon(event, delta, accuracy=self.accuracy)

    def _check(self, event: Event, delta: float) -> None:
        checks.open_unit("delta", delta)
        if reason := self.supports(event):
            raise ValueError(f"event: {reason}")

    def _guarantee(self, event: Event, delta: float, bracket: exact.Bracket) -> Guarantee:
        bounded = math.isfinite(bracket.upper)
        notes = dominating.assumptions(event)
        if bounded and bracket.upper - bracket.lower > WIDE * bracket.upper:
            low, high = rounded(bracket.lower, "lower"), rounded(bracket.upper, "upper")
            notes += (f"wide bracket: the exact epsilon lies between {low} and {high}",)
        return Guarantee(
            accountant="pld",
            kind="upper",
            epsilon=as_epsilon(bracket.upper),
            bounded=bounded,
            epsilon_error=max(0.0, bracket.upper - bracket.lower) if bounded else None,
            delta=delta,
            adjacency=event.adjacency,
            sampling=event.sampling,
            assumptions=notes,
            source=self.source,
        )
