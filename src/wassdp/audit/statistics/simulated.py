r"""ε at δ from simulated privacy losses, from below: an order statistic.

With L the logarithm of the two worlds' densities' ratio where the record is there, and E exponential of mean 1 beside
it,

.. math:: δ(ε) = E (1 - e^{ε - L})_+ = P(L - E > ε),

so that the ε at δ is a quantile of L - E. The k-th largest of m independent ones lies above it only if k or more do,
of which each does with probability at most δ: k is the least number with P(Bin(m, δ) ≥ k) ≤ 1 - confidence. No
threshold is chosen, and the confidence is exact at every m.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from jaxtyping import Float
from scipy import special

from wassdp import checks

_ROUNDING = 1e-9
"""Relative error of a sum of losses, and of a tail probability, at most."""
SOURCE = (
    "the quantile: Balle and Wang (2018), arXiv:1805.06530, Theorem 5, as a probability; its limit: Clopper and "
    "Pearson (1934)"
)


def epsilon(
    losses: Float[np.ndarray, " trials"], *, delta: float, confidence: float, generator: np.random.Generator
) -> float:
    """What ε at δ is not below, at ``confidence``; 0 where nothing can be said.

    Args:
        losses: L of independent runs of the world that the record is in.
        delta: in (0, 1).
        confidence: one-sided, in (0, 1).
        generator: of E.

    Raises:
        ValueError: an argument is outside its range, or a loss is not a number. Infinite ones are allowed.

    >>> losses = np.full(100_000, 3.0)  # the true ε is 3 + log(1 - δ)
    >>> round(epsilon(losses, delta=0.01, confidence=0.95, generator=np.random.default_rng(0)), 3)
    2.989
    """
    checks.open_unit("delta", delta)
    checks.numbers("losses", losses)
    size = losses.size
    count = _least_rare(size, delta, 1 - checks.open_unit("confidence", confidence))
    if count > size:
        return 0.0
    shifted = losses - generator.standard_exponential(size)
    return max(0.0, float(np.partition(shifted, size - count)[size - count]) * (1 - _ROUNDING))


def _least_rare(size: int, delta: float, permitted: float) -> int:
    """The least k with P(Bin(m, δ) ≥ k) ≤ ``permitted``, m + 1 where no k up to m is: by the probability itself."""
    return 1 + bisect_left(
        range(1, size + 1),
        True,
        key=lambda k: bool(special.betainc(k, size - k + 1, delta) * (1 + _ROUNDING) <= permitted),
    )
