r"""One of many outcomes, with probabilities :math:`e^{ℓ_i} / \sum_j e^{ℓ_j}`, exactly."""

from __future__ import annotations

import mpmath
import numpy as np
from jaxtyping import Float, Int64

from wassdp.noise.bits import Bits, next_word

_WORD = 64


def categorical(log_weights: Float[np.ndarray, " outcomes"], *, generator: Bits) -> int:
    """An outcome drawn with the probabilities that the given doubles define, whatever they sum to.

    A uniform number is compared with partial sums in double precision, and in as many digits as it takes where it lies
    too close to one of them.

    Args, Raises: as for `categoricals`.

    >>> from wassdp.noise.bits import seeded
    >>> categorical(np.array([-np.inf, 0.0, -1000.0]), generator=seeded(0))
    1
    """
    return int(categoricals(log_weights, 1, generator=generator)[0])


def categoricals(
    log_weights: Float[np.ndarray, " outcomes"], count: int, *, generator: Bits
) -> Int64[np.ndarray, " count"]:
    """Independent draws, as many as asked for.

    Args:
        log_weights: ℓ; minus infinity for what never happens, one finite at least.
        count: of draws.
        generator: source of the bits.

    Raises:
        ValueError: an entry is NaN or plus infinity, or none is finite.
    """
    largest = log_weights.max(initial=-np.inf)
    if not np.isfinite(largest):
        raise ValueError("log_weights: must be numbers or minus infinity, and one of them finite")
    weights = np.exp(log_weights - largest)
    sums = np.cumsum(weights)
    # The difference is rounded relative to at most 745, below which the exponential underflows; sums at every term.
    error = float(sums[-1]) * (len(sums) * 2.0**-51 + 746.0 * 2.0**-50) + len(sums) * 1e-300
    words = generator.words(count)
    targets = (words.astype(np.float64) * 2.0**-_WORD) * sums[-1]
    outcomes = np.searchsorted(sums, targets, side="right")
    ends = np.concatenate(([-np.inf], sums, [-np.inf]))
    clear = (ends[outcomes] + 2 * error < targets) & (targets < ends[outcomes + 1] - 2 * error)
    for place in np.flatnonzero(~clear):
        outcomes[place] = _settled(log_weights, int(words[place]), generator)
    return np.asarray(outcomes, dtype=np.int64)


def _settled(log_weights: Float[np.ndarray, " outcomes"], word: int, generator: Bits) -> int:
    """The outcome of a uniform number that begins with ``word``, with as many more as it takes."""
    bits = _WORD
    while (exact := _decided(log_weights, word, bits)) is None:
        word, bits = (word << _WORD) | next_word(generator), bits + _WORD
    return exact


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
