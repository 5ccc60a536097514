"""The least noise, the most steps or the largest rate that keeps a promised budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from wassdp import checks
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event

EVALUATIONS = 12
"""Accountings of one calibration of a real parameter, at most, once a first bracket is found."""
_CLOSE = 3e-4
_LARGEST = 1e8
_SMALLEST = 1e-8
T = TypeVar("T", int, float)


def noise_multiplier(
    make_event: Callable[[float], Event], *, epsilon: float, delta: float, accountant: Accountant
) -> float:
    """The smallest noise whose upper bound on epsilon is at most ``epsilon``, never above it.

    Args:
        make_event: the release at a given noise (a multiplier, or a standard deviation); more noise must
            never mean a larger budget.
        epsilon: the budget to keep, above 0.
        delta: in (0, 1).
        accountant: one whose guarantees are upper bounds.

    Returns:
        A noise whose own budget was computed, is at most ``epsilon`` and, unless the accountant's answer
        jumps, within a relative 3e-4 of it.

    Raises:
        ValueError: the accountant is not an upper bound, or refuses the event, or no noise up to 1e8 suffices.
    """
    budget = _budget(make_event, epsilon, delta, accountant)
    found = _largest(lambda log_calm: budget(math.exp(-log_calm)), epsilon, -math.log(_LARGEST), -math.log(_SMALLEST))
    if found is None:
        raise ValueError(f"epsilon = {epsilon!r}: no noise up to {_LARGEST:g} reaches it")
    return math.exp(-found)


def rate(make_event: Callable[[float], Event], *, epsilon: float, delta: float, accountant: Accountant) -> float:
    """The largest sampling rate in (0, 1] whose upper bound on epsilon is at most ``epsilon``.

    Args, Raises: as for `noise_multiplier`; ``make_event`` gets the rate.
    """
    budget = _budget(make_event, epsilon, delta, accountant)
    found = _largest(lambda log_rate: budget(math.exp(log_rate)), epsilon, math.log(_SMALLEST), 0.0)
    if found is None:
        raise ValueError(f"epsilon = {epsilon!r}: no rate down to {_SMALLEST:g} reaches it")
    return math.exp(found)


def steps(
    make_event: Callable[[int], Event], *, epsilon: float, delta: float, accountant: Accountant, most: int = 10**7
) -> int:
    """The largest number of steps, up to ``most``, whose upper bound on epsilon is at most ``epsilon``; 0 if none.

    Args, Raises: as for `noise_multiplier`; ``make_event`` gets the number of steps.
    """
    checks.whole("most", most, least=1)
    budget = _budget(make_event, epsilon, delta, accountant)
    low, high = 0, 1
    while budget(high) <= epsilon:
        if high == most:
            return most
        low, high = high, min(most, 4 * high)
    while high - low > 1:
        middle = min(max(round(math.sqrt(max(low, 1) * high)), low + 1), high - 1)
        low, high = (middle, high) if budget(middle) <= epsilon else (low, middle)
    return low


def _budget(
    make_event: Callable[[T], Event], epsilon: float, delta: float, accountant: Accountant
) -> Callable[[T], float]:
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    quick = getattr(accountant, "upper", None)
    known_upper = False

    def budget(value: T) -> float:
        nonlocal known_upper
        event = make_event(value)
        if quick is not None and known_upper:
            return float(quick(event, delta))
        guarantee = accountant.epsilon(event, delta)
        if guarantee.kind != "upper":
            raise ValueError(f"accountant = {guarantee.accountant!r}: is {guarantee.kind}; only upper bounds calibrate")
        known_upper = True
        return guarantee.value

    return budget


def _largest(budget: Callable[[float], float], epsilon: float, least: float, most: float) -> float | None:
    """The largest x in [least, most] found with budget(x) ≤ epsilon, ``budget`` increasing; None if there is none.

    Secant steps on the logarithm of the budget inside a bracket that only certified values narrow.
    """
    aim = math.log(epsilon) - _CLOSE / 3
    kept: tuple[float, float] | None = None
    broken: tuple[float, float] | None = None
    x, used = min(max(0.0, least), most), 0
    while used < EVALUATIONS or kept is None:
        value = budget(x)
        used += 1
        height = math.log(value) if value > 0 else -math.inf
        if value <= epsilon:
            kept = (x, height)
            if x >= most or value >= epsilon * (1 - _CLOSE):
                break
        else:
            broken = (x, height)
            if x <= least:
                return None
        if kept and broken and broken[0] - kept[0] < 1e-6:
            break
        x = _next(x, height, kept, broken, aim)
        x = min(max(x, least), most)
    return kept[0] if kept else None


def _next(
    x: float, height: float, kept: tuple[float, float] | None, broken: tuple[float, float] | None, aim: float
) -> float:
    finite = [point for point in (kept, broken) if point is not None and math.isfinite(point[1])]
    if kept and broken:
        low, high = kept[0], broken[0]
        if len(finite) == 2:
            slope = (broken[1] - kept[1]) / (high - low)
            guess = kept[0] + (aim - kept[1]) / slope if slope > 0 else (low + high) / 2
            # Stay clear of the ends, or one of them never moves.
            margin = min(0.02 * (high - low), 1e-4)
            return min(max(guess, low + margin), high - margin)
        return (low + high) / 2
    # ε is about inversely proportional to the noise; at large ε, to its square.
    step = (aim - height) if math.isfinite(height) else (-3.0 if height > 0 else 3.0)
    if step > 0 and height > 0:
        step /= 2
    return x + min(max(1.1 * step, -6.0), 2.0)
