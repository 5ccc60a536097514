r"""One of many outcomes, with probabilities :math:`e^{ℓ_i} / \sum_j e^{ℓ_j}`, exactly."""

from __future__ import annotations

import mpmath
import numpy as np
from jaxtyping import Float

from wassdp.noise.bits import Bits

_WORD = 64


def categorical(log_weights: Float[np.ndarray, " outcomes"], *, generator: Bits) -> int:
    """An outcome drawn with the probabilities that the given doubles define, whatever they sum to.

    A uniform number is compared with partial sums in double precision, and in as many digits as it takes where it lies
    too close to one of them.

    Args:
        log_weights: ℓ; minus infinity for what never happens, one finite at least.
        generator: source of the bits.

    Raises:
        ValueError: an entry is NaN or plus infinity, or none is finite.

    >>> from wassdp.noise.bits import seeded
    >>> categorical(np.array([-np.inf, 0.0, -1000.0]), generator=seeded(0))
    1
    """
    largest = log_weights.max(initial=-np.inf)
    if not np.isfinite(largest):
        raise ValueError("log_weights: must be numbers or minus infinity, and one of them finite")
    weights = np.exp(log_weights - largest)
    sums = np.cumsum(weights)
    # The difference is rounded relative to at most 745, below which the exponential underflows; sums at every term.
    error = float(sums[-1]) * (len(sums) * 2.0**-51 + 746.0 * 2.0**-50) + len(sums) * 1e-300
    word, bits = int(generator.words(1)[0]), _WORD
    target = (word / 2.0**_WORD) * float(sums[-1])
    outcome = int(np.searchsorted(sums, target, side="right"))
    before = float(sums[outcome - 1]) if outcome else -np.inf
    if outcome < len(sums) and before + 2 * error < target < float(sums[outcome]) - 2 * error:
        return outcome
    while True:
        exact = _decided(log_weights, word, bits)
        if exact is not None:
            return exact
        word, bits = (word << _WORD) | int(generator.words(1)[0]), bits + _WORD


def _decided(log_weights: Float[np.ndarray, " outcomes"], word: int, bits: int) -> int | None:
    """The outcome of every uniform number in [word, word + 1] / 2^bits, if they all have the same."""
    with mpmath.workprec(bits + 128):
        largest = mpmath.mpf(float(log_weights.max()))
        weights = [mpmath.exp(mpmath.mpf(float(log_weight)) - largest) for log_weight in log_weights]
        total = mpmath.fsum(weights)
        low, high = (mpmath.ldexp(total * end, -bits) for end in (word, word + 1))
        guard, running = mpmath.ldexp(total, -bits - 64), mpmath.mpf(0)
        possible = [outcome for outcome, weight in enumerate(weights) if weight]
        for outcome in possible:
            below, running = running, running + weights[outcome]
            after = outcome == possible[0] or below + guard <= low
            before = outcome == possible[-1] or high <= running - guard
            if after and before:
                return outcome
    return None
