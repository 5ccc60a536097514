"""Who enters a step: samples of records with exactly the probabilities that events state."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from wassdp import checks
from wassdp.noise.bits import Bits, next_word

_WORD = 64


def poisson_sample(records: int, *, rate: float, generator: Bits) -> Int64[Tensor, " batch"]:
    """Indices of ``range(records)``, each chosen independently with probability exactly ``rate``, ascending.

    ``rate``, a double, is a binary fraction. A record is chosen where a uniform number lies below it; the few numbers
    that agree with it in their first 64 bits are given more.

    Raises:
        ValueError: ``records`` or ``rate`` is outside its range.
    """
    checks.whole("records", records, least=1)
    checks.probability("rate", rate)
    words = generator.words(records)
    if rate == 1:
        return torch.arange(records)
    first, rest = divmod(Fraction(rate) * (1 << _WORD), 1)
    enters = words < np.uint64(int(first))
    if rest:
        for index in np.flatnonzero(words == np.uint64(int(first))):
            enters[index] = _below(rest, generator)
    return torch.from_numpy(np.flatnonzero(enters))


def _below(bound: Fraction, generator: Bits) -> bool:
    """Whether a uniform number lies below ``bound``, in [0, 1)."""
    while bound:
        first, bound = divmod(bound * (1 << _WORD), 1)
        if (word := next_word(generator)) != int(first):
            return word < int(first)
    return False


def permutation(count: int, *, generator: Bits) -> Int64[Tensor, " count"]:
    """The numbers 0 … ``count`` - 1 in an order of which all are equally likely."""
    return subset(count, count, generator=generator)


def subset(records: int, batch: int, *, generator: Bits) -> Int64[Tensor, " batch"]:
    """``batch`` different indices of ``range(records)``, in random order; all such lists are equally likely.

    Every record draws a word, and the smallest enter. Where two of those agree all words are drawn again, which
    favours no record.

    Raises:
        ValueError: ``batch`` is above ``records``.
    """
    checks.whole("records", records)
    if checks.whole("batch", batch) > records:
        raise ValueError(f"batch = {batch}: must be at most records = {records}")
    if batch == 0:
        return torch.zeros(0, dtype=torch.int64)
    while True:
        words = generator.words(records)
        largest = np.partition(words, batch - 1)[batch - 1]
        entered = np.flatnonzero(words <= largest)
        rows = entered[np.argsort(words[entered])]
        if len(rows) == batch and (np.diff(words[rows]) > 0).all():
            return torch.from_numpy(rows)
