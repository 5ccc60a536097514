"""Sums of records without rounding, so that neighbours are as far apart on the computer as on paper.

What a record adds is a whole multiple of a power of two so small that rounding it cannot be seen, and so large that no
sum of all records needs more than the 53 bits of double precision, in whatever order.
"""

from __future__ import annotations

import math

from jaxtyping import Float64
from torch import Tensor

BITS = 52
"""Of a sum; one less than double precision has."""
SHRINK = 1 - 2.0**-36
"""What the rounding of a norm that is computed in double precision cannot undo."""


def bits(records: int, largest: float = 1.0) -> float:
    """Binary digits after the point that each number may keep, if so many of at most ``largest`` are to be added.

    >>> bits(4), bits(4, largest=2.0)
    (50.0, 49.0)
    """
    return BITS - math.log2(records * max(1.0, largest))


def toward_zero(values: Float64[Tensor, " *shape"], bits: float) -> Float64[Tensor, " *shape"]:
    """``values`` with the last of ``bits`` binary digits after the point kept, and no further from 0 than before.

    >>> import torch
    >>> toward_zero(torch.tensor([0.7, -0.7], dtype=torch.float64), 2.5).tolist()
    [0.5, -0.5]
    """
    step = 2.0 ** -math.floor(bits)
    return (values / step).trunc() * step
