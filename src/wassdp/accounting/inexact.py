r"""Releases that are not drawn from their own law: what that costs is added to δ, never left out.

If every output distribution P of the code is within τ of the mechanism's own in total variation, then

.. math:: P(A) ≤ P^*(A) + τ ≤ e^ε Q^*(A) + δ^*(ε) + τ ≤ e^ε Q(A) + δ^*(ε) + (1 + e^ε) τ ,

so that the code keeps (ε, δ*(ε) + (1 + e^ε) τ). What this project's own mechanisms draw is exact (`wassdp.noise`),
τ = 0; the term is there for those that cannot be.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from wassdp import checks
from wassdp.accounting.rounding import rounded

_ATTEMPTS = 80
_STEP = 1e-4
"""How far past the last value the next attempt goes, relative to it: that much the answer may be above the least."""


def added(epsilon: float, variation: float) -> float:
    """(1 + e^ε) τ; infinity where it overflows."""
    if variation == 0:
        return 0.0
    return math.inf if epsilon > 700 else (1 + math.exp(epsilon)) * variation * (1 + 1e-12)


def raised(value: Callable[[float], float], delta: float, variation: float) -> float:
    """The ε that the drawn releases keep at ``delta``.

    Args:
        value: an ε that the ideal releases keep at a δ, non-increasing.
        delta: in (0, 1).
        variation: τ.

    Returns:
        An ε with value(δ - (1 + e^ε) τ) ≤ ε; infinity where none was found.
    """
    checks.non_negative("variation", variation)
    epsilon = value(delta)
    if variation == 0:
        return epsilon
    for _ in range(_ATTEMPTS):
        left = delta - added(epsilon, variation)
        if not left > 0:
            return math.inf
        if (needed := value(left)) <= epsilon:
            return epsilon
        epsilon = needed * (1 + _STEP) + 1e-12
    return math.inf


def variation_note(variation: float) -> str:
    """What a figure says of it."""
    return (
        f"drawn within {rounded(variation, 'upper')} of the ideal releases in total variation: (1 + e^epsilon) times "
        "that is added to delta"
    )
