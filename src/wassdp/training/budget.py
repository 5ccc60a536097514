"""A budget: the delta of the account, and noise as it is given or the least that keeps an epsilon. Imports no torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar, Self

from pydantic import Field, model_validator

from wassdp.accounting import accountant, calibrate
from wassdp.accounting.event import Event
from wassdp.ranges import AccountedDelta, Epsilon
from wassdp.sections import Section

UPPER = "pld"
"""The accountant by which noise is calibrated."""
MOST_NOISE = 1e6
"""Noises between its inverse and it are looked at where a published formula, which is no bound, sets the noise."""


def too_large(delta: float, records: int, of: str) -> str | None:
    """Why this delta says nothing about so many records, or None.

    Args:
        delta: in (0, 1).
        records: their number, above 0.
        of: whose records they are, in words.

    >>> too_large(1e-5, 60_000, "mnist"), (too_large(0.4, 60_000, "mnist") or "")[:36]
    (None, 'delta 0.4 is not below 1 in 60000 re')
    """
    if delta * records < 1:
        return None
    return (
        f"delta {delta:g} is not below 1 in {records} records of {of}: "
        "publishing a record outright would keep such a budget"
    )


def says_nothing(delta: float | None, counted: tuple[int, str] | None) -> str | None:
    """Why an accountant's own delta says nothing about a run, by the rule of the run's own; or None.

    Args:
        delta: the accountant's own, if it has one.
        counted: what `wassdp.experiment.Parameters.private_records` tells of the run.
    """
    return None if delta is None or counted is None else too_large(delta, *counted)


class Delta(Section):
    """The delta at which something is accounted."""

    delta: AccountedDelta = Field(description="delta at which the run is accounted")

    def too_large(self, records: int, of: str) -> str | None:
        """Why this delta says nothing about so many records, or None; arguments as of `too_large`."""
        return too_large(self.delta, records, of)


class Budget(Delta):
    """Noise as it is given, or the least that keeps ``epsilon`` by a proven bound.

    A subclass has the field of the given noise, float or None, under the name that its mechanism has for it, and says
    that name in ``given_by``; where ``both`` is true, noise and epsilon may be given together.
    """

    given_by: ClassVar[str]
    both: ClassVar[bool] = False

    epsilon: Epsilon | None = Field(
        default=None, description="budget to keep, by the PLD upper bound over all steps of the run"
    )

    @model_validator(mode="after")
    def _noise_or_epsilon(self) -> Self:
        given = (self.given is not None) + (self.epsilon is not None)
        if not given or (given == 2 and not self.both):
            raise ValueError(f"{self.given_by} and epsilon: {'at least' if self.both else 'exactly'} one must be given")
        return self

    @property
    def given(self) -> float | None:
        """The noise that is given, if any is."""
        noise: float | None = getattr(self, self.given_by)
        return noise

    def modules(self) -> tuple[str, ...]:
        """The accountant's module, where it sets the noise: its code then belongs to the run's."""
        return () if self.epsilon is None else (accountant.module(UPPER),)

    def calibrate(self, make_event: Callable[[float], Event]) -> float:
        """The noise that is given, or the least with which the release keeps the budget.

        Args:
            make_event: all that the run releases at a given noise; more noise must never mean a larger budget.

        Raises:
            ValueError: no noise keeps the budget.
        """
        if self.given is not None:
            return self.given
        assert self.epsilon is not None, "one of the two is given"
        return least_noise(make_event, epsilon=self.epsilon, delta=self.delta)


def least_noise(
    make_event: Callable[[float], Event], *, epsilon: float, delta: float, accounted_by: str = UPPER
) -> float:
    """The least noise whose epsilon is at most ``epsilon``.

    Args:
        make_event: all that is released at a given noise; more noise must never mean a larger budget.
        epsilon: the budget to keep, above 0.
        delta: in (0, 1).
        accounted_by: `UPPER`, or a published formula: the noise then is what a user of the formula takes, and keeps no
            proven budget.

    Raises:
        ValueError: no noise keeps the budget, or every noise does.
    """
    accounting = accountant.load(accounted_by)
    if accounted_by == UPPER:
        return calibrate.noise_multiplier(make_event, epsilon=epsilon, delta=delta, accountant=accounting)

    def kept(noise: float) -> bool:
        return accounting.epsilon(make_event(noise), delta).value <= epsilon

    low, high = MOST_NOISE**-1, MOST_NOISE
    if not kept(high):
        raise ValueError(f"epsilon = {epsilon!r}: no noise up to {MOST_NOISE:g} reaches it")
    if kept(low):
        raise ValueError(f"epsilon = {epsilon!r}: even a noise of {low:g} keeps it")
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if kept(middle) else (middle, high)
    return high
