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

AT_ONCE = {True: 1 << 17, False: 1 << 24}
"""Numbers that are held in double precision at a time: on a processor (True) as many as its caches hold."""


def weighted(rows: Float[Tensor, "n d"], factors: Float[Tensor, " n"]) -> Float64[Tensor, " d"]:
    """Sum of the rows, each times its factor.

    >>> weighted(torch.tensor([[16777216.0], [1.0], [-16777216.0]]), torch.ones(3))
    tensor([1.], dtype=torch.float64)
    """
    total = torch.zeros(rows.shape[1], dtype=torch.float64, device=rows.device)
    size = _at_once(rows)
    for some, own in zip(rows.split(size), factors.double().split(size), strict=True):
        total.addmv_(some.double().T, own)
    return total


def add_product(
    left: Float[Tensor, "n o"], factors: Float[Tensor, " n"], right: Float[Tensor, "n i"], total: Float64[Tensor, "o i"]
) -> None:
    r"""Add :math:`\sum_n f_n \, l_n r_n^\top` to ``total``: outer products of rows, each times its factor.

    Some rows at a time, whose doubles a cache holds: those of a large batch go to memory and back.

    Args:
        left: rows l, in single or double precision.
        factors: f, of each row.
        right: rows r.
        total: what is added to.

    >>> total = torch.zeros(1, 2, dtype=torch.float64)
    >>> add_product(torch.ones(2, 1), torch.tensor([2.0, 3.0]), torch.tensor([[1.0, 0.0], [1.0, 1.0]]), total)
    >>> total
    tensor([[5., 3.]], dtype=torch.float64)
    """
    size = _at_once(right)
    for some, own, others in zip(left.split(size), factors.split(size), right.split(size), strict=True):
        total.addmm_((some.double() * own.double()[:, None]).T, others.double())


def _at_once(rows: Float[Tensor, "n d"]) -> int:
    return max(1, AT_ONCE[rows.device.type == "cpu"] // max(1, rows.shape[1]))
