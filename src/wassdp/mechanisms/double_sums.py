"""Sums of records in double precision, of what they are in single precision.

A sum in single precision is rounded at every addition by a share of the sum so far, and a record that lifts it over a
power of two has all later ones rounded to a grid twice as coarse: those can be chosen so that this adds up to dozens of
them. A product of two numbers of single precision is exact in double precision, and a sum of N records there is off by
N² 2⁻⁵³ of the longest of them at most: four ten-millionths for 60,000.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Float64
from torch import Tensor

AT_ONCE = 1 << 17
"""Numbers that are held in double precision at a time: as many as a cache holds."""


def weighted(rows: Float[Tensor, "n d"], factors: Float[Tensor, " n"]) -> Float64[Tensor, " d"]:
    """Sum of the rows, each times its factor.

    >>> weighted(torch.tensor([[16777216.0], [1.0], [-16777216.0]]), torch.ones(3))
    tensor([1.], dtype=torch.float64)
    """
    total = torch.zeros(rows.shape[1], dtype=torch.float64, device=rows.device)
    size = max(1, AT_ONCE // max(1, rows.shape[1]))
    for some, own in zip(rows.split(size), factors.double().split(size), strict=True):
        total.addmv_(some.double().T, own)
    return total
