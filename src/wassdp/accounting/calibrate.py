"""The least noise or the most steps that keep a promised budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from wassdp import checks
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.numerics.bracket import Real, SearchResult, UnfitError, Whole, largest_kept
from wassdp.accounting.rounding import rounded

CLOSE = 3e-4
"""How far, relative to the promised ε, the budget of the noise that is found may lie below it."""
STEP = 1e-6
"""Relative difference of two noises between which a budget is said to jump."""
LARGEST, SMALLEST = 1e8, 1e-8
"""Noises between which is searched."""
T = TypeVar("T", int, float)


@dataclass(frozen=True)
class Least:
    """The least noise that keeps a budget.

    Args:
        noise: it; its own budget was computed.
        epsilon: that budget, at most the promised one.
        jump: None where ``epsilon`` is within a relative `CLOSE` of the promise. Where the accountant's answer jumps
            over it: the budget of a noise that is smaller by less than a relative `STEP`.
    """

    noise: float
    epsilon: float
    jump: float | None = None

    @property
    def note(self) -> str | None:
        """What is to be said where the answer jumps."""
        if self.jump is None:
            return None
        kept, beyond = (rounded(value, "upper", digits=6) for value in (self.epsilon, self.jump))
        more = "no finite epsilon" if math.isinf(self.jump) else f"epsilon = {beyond}"
        return (
            f"the accountant's answer jumps there: epsilon = {kept}, and {more} with a noise that is "
            f"smaller by a relative {STEP:g}"
        )


def noise_multiplier(
    make_event: Callable[[float], Event], *, epsilon: float, delta: float, accountant: Accountant
) -> float:
    """`least_noise`, as a number.

    Args, Raises: as there.
    """
    return least_noise(make_event, epsilon=epsilon, delta=delta, accountant=accountant).noise


def least_noise(make_event: Callable[[float], Event], *, epsilon: float, delta: float, accountant: Accountant) -> Least:
    """The smallest noise whose upper bound on epsilon is at most ``epsilon``, never above it.

    Args:
        make_event: the release at a given noise (a multiplier, or a standard deviation); more noise must
            never mean a larger budget.
        epsilon: the budget to keep, above 0.
        delta: in (0, 1).
        accountant: one whose guarantees are upper bounds.

    Returns:
        A noise whose own budget was computed, is at most ``epsilon`` and within a relative `CLOSE` of it, or is
        within a relative `STEP` of one that was found to break it; the result says which.

    Raises:
        ValueError: the accountant is not an upper bound, or refuses the event; no noise up to 1e8 suffices; or any
            noise down to 1e-8 does, so that nothing needs it.
    """
    budget = _budget(make_event, epsilon, delta, accountant)
    # From most noise to least, budgets grow.
    result = largest_kept(
        lambda calm: budget(math.exp(-calm)),
        epsilon,
        Real(STEP / 2),
        start=0.0,
        least=-math.log(LARGEST),
        most=-math.log(SMALLEST),
        close=CLOSE,
    )
    if result.kept is None:
        _raise_refusal(result)
        raise ValueError(f"epsilon = {epsilon!r}: no noise up to {LARGEST:g} reaches it")
    noise, value = math.exp(-result.kept.position), result.kept.value
    if result.close:
        return Least(noise, value)
    _raise_refusal(result)
    if result.broken is None:
        raise ValueError(
            f"epsilon = {epsilon!r}: even a noise of {SMALLEST:g} keeps it, with {rounded(value, 'upper', digits=6)}"
        )
    return Least(noise, value, result.broken.value)


def steps(
    make_event: Callable[[int], Event], *, epsilon: float, delta: float, accountant: Accountant, most: int = 10**7
) -> int:
    """The largest number of steps, up to ``most``, whose upper bound on epsilon is at most ``epsilon``; 0 if none.

    It keeps the budget, and one step more was found to break it, unless it is ``most``.

    Args:
        make_event: the release of a given number of steps; more must never mean a smaller budget.
        epsilon: the budget to keep, above 0.
        delta: in (0, 1).
        accountant: one whose guarantees are upper bounds.
        most: what is not to be exceeded, at least 1.

    Raises:
        ValueError: the accountant is not an upper bound, or refuses the event, or so many steps that it is not known
            whether they keep the budget.
    """
    checks.whole("most", most, least=1)
    budget = _budget(make_event, epsilon, delta, accountant)
    result = largest_kept(budget, epsilon, Whole(), start=1, least=1, most=most)
    _raise_refusal(result)
    return 0 if result.kept is None else result.kept.position


def _raise_refusal(result: SearchResult[T]) -> None:
    """Where the search ended at a value that the accountant refused, that is the answer."""
    if result.broken is not None and result.broken.refused is not None:
        raise result.broken.refused


def _budget(
    make_event: Callable[[T], Event], epsilon: float, delta: float, accountant: Accountant
) -> Callable[[T], float]:
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    known_upper = False

    def budget(value: T) -> float:
        nonlocal known_upper
        event = make_event(value)
        if known_upper:
            return accountant.upper(event, delta)
        guarantee = accountant.answer(event, delta)
        if guarantee.kind != "upper":
            raise UnfitError(f"accountant = {guarantee.accountant!r}: is {guarantee.kind}; only upper bounds calibrate")
        known_upper = True
        return guarantee.value

    return budget
