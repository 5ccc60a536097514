r"""Normal numbers in single precision, from half a word each: for what is published as it is, such as directions.

Symbols: Q and u as in `wassdp.noise.quantile`.

Of 32 bits, the first is the sign and the others are the first bits of the tail probability. They say Z to within
single precision unless the tail is below :data:`LEAST`, which one in 512 is: there the caller reads on. So the numbers
have the ideal law but for an error that is proved, some roundings large. Sums and products are taken apart, never
fused, so that the processor and a CUDA device give the same number.
"""

from __future__ import annotations

import functools

import numpy as np
import torch
from jaxtyping import Bool, Float, Int32
from torch import Tensor

from wassdp.noise.quantile import BITS, HALF, PROCESSOR, QuantileTable, taylor

HALF_WORD = 32
OCTAVES = 9
LEAST = 1 << (HALF_WORD - OCTAVES - 1)
"""The least tail probability of the table, in units of 2^-32."""
DEGREE = 2
TAIL = (1 << (HALF_WORD - 1)) - 1
"""The bits of half a word that are its tail probability; the other is the sign."""
_EPSILON = 2.0**-24
MANTISSA, BIAS = 23, 127
"""Of a number in single precision: bits of the mantissa, and what its exponent is raised by."""
FIRST_CELL = (BIAS + HALF_WORD - OCTAVES - 1) << BITS
"""A number's exponent and the first bits of its mantissa are its cell's number and this."""
_BLOCK = 65536
"""Numbers at a time on a processor: more of them leave the second cache, fewer wait for calls."""


@functools.cache
def table(device: torch.device = PROCESSOR) -> QuantileTable:
    """The table on ``device``; its error is that of numbers whose tail probability is `LEAST` 2^-32 at least."""
    if device.type != "cpu":
        return table().to(device)
    exact = taylor(octaves=OCTAVES, degree=DEGREE)
    # u itself: the half word's interval, and its conversion, which may leave the cell by as much: hence 1.001.
    argument = 1.001 * (2.0**-HALF_WORD + _EPSILON * exact.unit) * exact.slope
    # Of Horner's rule: each coefficient is rounded once, and once by every sum and product that it goes through; 1.001
    # covers products of these errors, and the error of the middles, 2^-47.
    sizes = np.abs(exact.rows) * HALF ** np.arange(DEGREE + 1)[:, None]
    rounding = 1.001 * _EPSILON * (np.array([2, 4, 5])[:, None] * sizes).sum(axis=0)
    error = float(np.max(exact.remainder + argument + rounding))
    return QuantileTable(torch.from_numpy(exact.rows).float(), error)


def normal(halves: Int32[Tensor, " count"]) -> tuple[Float[Tensor, " count"], Bool[Tensor, " count"]]:
    """Z of half words to within the table's ``error``, and where it is not, because the tail is below the table's.

    Args:
        halves: uniform bits, on the device of what is returned.
    """
    device = halves.device
    numbers = torch.empty(len(halves), device=device)
    rare = torch.empty(len(halves), dtype=torch.bool, device=device)
    size = max(1, min(len(halves), _BLOCK if device.type == "cpu" else len(halves)))
    evaluation = _Evaluation(size, device)
    for half, number, below in zip(*(each.split(size) for each in (halves, numbers, rare)), strict=True):
        evaluation.signed(half, number, below)
    return numbers, rare


class _Evaluation:
    """Q of some numbers at a time, in buffers that stay in the cache."""

    def __init__(self, size: int, device: torch.device) -> None:
        self._rows = table(device).coefficients
        self._whole = torch.empty(3, size, dtype=torch.int32, device=device)
        self._real = torch.empty(3, size, device=device)

    def signed(self, halves: Tensor, numbers: Tensor, rare: Tensor) -> None:
        """Write Z into ``numbers`` and whether its tail is below the table's into ``rare``."""
        tails, cell, bits = self._whole[:, : len(halves)]
        real, value, other = self._real[:, : len(halves)]
        torch.bitwise_and(halves, TAIL, out=tails)
        torch.lt(tails, LEAST, out=rare)
        raw = real.copy_(tails.clamp_(min=LEAST)).view(torch.int32)
        # The exponent and the first bits of the mantissa number the cell.
        torch.bitwise_right_shift(raw, MANTISSA - BITS, out=cell)
        cell.sub_(FIRST_CELL)
        # The rest of the mantissa, as a number in [1, 1 + 1/CELLS): exact, and the distance from the middle too.
        torch.bitwise_and(raw, (1 << (MANTISSA - BITS)) - 1, out=bits)
        bits.bitwise_or_(BIAS << MANTISSA)
        distance = bits.view(torch.float32).sub_(1 + HALF)
        torch.index_select(self._rows[DEGREE], 0, cell, out=value)
        for power in range(DEGREE - 1, -1, -1):
            torch.index_select(self._rows[power], 0, cell, out=other)
            value.mul_(distance).add_(other)
        # The first bit becomes the number's sign.
        torch.bitwise_and(halves, ~TAIL, out=tails)
        torch.bitwise_xor(value.view(torch.int32), tails, out=numbers.view(torch.int32))
