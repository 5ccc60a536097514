r"""Normal quantiles of words in double precision, and the rounding of values with them, some at a time.

Symbols: γ grid, σ standard deviation, Z the standard normal number that a word is the first bits of.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from wassdp.noise import settle
from wassdp.noise.quantile import OCTAVES, QuantileEvaluation

BLOCK = 16384
"""Numbers at a time on a processor: what they need stays in its second cache."""
LEAST = 1 << (settle.WORD - OCTAVES - 1)
"""The least tail probability of the table, in units of 2^-64."""
TAIL = (1 << (settle.WORD - 1)) - 1
"""The bits of a word that are its tail probability; the other is the sign."""


class Blocks:
    """Normal quantiles of words, a block at a time."""

    def __init__(self, count: int, device: torch.device) -> None:
        self.size = max(1, min(count, BLOCK if device.type == "cpu" else count))
        self._evaluation = QuantileEvaluation(self.size, device)
        self._words = torch.empty(self.size, dtype=torch.int64, device=device)
        self._tails = torch.empty(self.size, dtype=torch.float64, device=device)
        self.buffers = tuple(torch.empty(self.size, dtype=torch.float64, device=device) for _ in range(3))

    def signed(self, words: Tensor) -> Iterator[tuple[slice, Float[Tensor, " count"], list[int]]]:
        """By blocks: Z to within the table's error, and where it is not, its tail being below the table's."""
        for first in range(0, len(words), self.size):
            here = slice(first, first + self.size)
            noise, rare = self._signed(words[here])
            yield here, noise, [first + offset for offset in rare]

    def _signed(self, words: Tensor) -> tuple[Float[Tensor, " count"], list[int]]:
        tail_bits, tails = self._words[: len(words)], self._tails[: len(words)]
        rare = list[int]()
        torch.bitwise_and(words, TAIL, out=tail_bits)
        if int(tail_bits.min()) < LEAST:
            rare = (tail_bits < LEAST).nonzero().flatten().tolist()
            tail_bits.clamp_(min=LEAST)
        noise = self._evaluation.quantile(tails.copy_(tail_bits), unit=settle.WORD)
        # The word's first bit becomes the number's sign.
        torch.bitwise_and(words, ~TAIL, out=tail_bits)
        noise.view(torch.int64).bitwise_xor_(tail_bits)
        return noise, rare


def rounded(
    x: Float[Tensor, " count"], words: Int64[Tensor, " count"], *, step: float, ratio: float, error: float
) -> tuple[Float64[Tensor, " count"], list[int]]:
    """Where double precision decides it, the multiple of ``step`` nearest to x + step ratio Z; and where it does not.

    Args:
        x: of any size; what is not finite comes out as no number.
        words: the first bits of Z, on the device of ``x``.
        step: γ, a power of two.
        ratio: σ/γ.
        error: what offset + ratio·Z is wrong by in double precision, at most.

    Returns:
        The multiples, and the places that are undecided, where they mean nothing.
    """
    noisy = torch.empty(len(x), dtype=torch.float64, device=x.device)
    blocks = Blocks(len(x), x.device)
    undecided: list[int] = []
    for here, noise, rare in blocks.signed(words):
        undecided += rare
        whole, scaled, other = (buffer[: len(noise)] for buffer in blocks.buffers)
        # In double precision from the start: a narrower type could overflow.
        scaled.copy_(x[here]).mul_(1 / step)
        torch.floor(scaled, out=whole)
        noise.mul_(ratio).add_(scaled.sub_(whole))
        torch.round(noise, out=other)
        torch.mul(whole.add_(other), step, out=noisy[here])
        noise.sub_(other).abs_()
        if float(noise.max()) > 0.5 - error:
            undecided += ((noise > 0.5 - error).nonzero().flatten() + here.start).tolist()
    return noisy, undecided
