"""The least noise that keeps a promised budget."""

from __future__ import annotations

import math
from collections.abc import Callable

from wassdp import checks
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event


def noise_multiplier(
    make_event: Callable[[float], Event], *, epsilon: float, delta: float, accountant: Accountant
) -> float:
    """The smallest noise whose upper bound on epsilon is at most ``epsilon``, never above it.

    Args:
        make_event: the release at a given noise; more noise must never mean a larger budget.
        epsilon: the budget to keep, above 0.
        delta: in (0, 1).
        accountant: one whose guarantees are upper bounds.

    Returns:
        A noise within a relative 1e-4 of the smallest; its own budget was computed and is at most ``epsilon``.

    Raises:
        ValueError: the accountant is not an upper bound, or refuses the event, or no noise up to 1e8 suffices.
    """
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)

    def budget(noise: float) -> float:
        guarantee = accountant.epsilon(make_event(noise), delta)
        if guarantee.kind != "upper":
            raise ValueError(f"accountant = {guarantee.accountant!r}: is {guarantee.kind}; only upper bounds calibrate")
        return guarantee.value

    low, high = 0.0, 1.0
    while budget(high) > epsilon:
        low, high = high, 2 * high
        if high > 1e8:
            raise ValueError(f"epsilon = {epsilon!r}: no noise multiplier up to 1e8 reaches it")
    if low == 0.0:
        low = high / 2
        while budget(low) <= epsilon:
            low, high = low / 2, low
            if high < 1e-6:
                return high
    while high - low > 1e-4 * high:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if budget(middle) <= epsilon else (middle, high)
    return high
