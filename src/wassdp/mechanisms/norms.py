"""Norms that are right at every length that a number, and a row, can have."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

BLOCK = 1024
"""Numbers whose squares are added up in their own precision."""


def norms(rows: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
    """L2 norms of the rows, of short ones too, whose entries' squares vanish: taken for 0, they would not be clipped.

    >>> norms(torch.tensor([[3e-30, 4e-30], [3.0, 4.0], [0.0, 0.0]])).tolist()[1:]
    [5.0, 0.0]
    """
    found = added_up(rows)
    short = found < 1e6 * math.sqrt(torch.finfo(rows.dtype).tiny)
    if rows.shape[1] and bool(short.any()):
        largest = rows.abs().amax(dim=1, keepdim=True)
        scaled = added_up(rows / torch.where(largest > 0, largest, 1.0))
        found = torch.where(short, largest[:, 0] * scaled, found)
    return found


def added_up(rows: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
    """L2 norms of rows whose squares neither vanish nor overflow.

    In blocks, whose norms are added up in double precision: beside a sum of millions of squares in single precision,
    smaller ones are lost, and a norm that is too small by them clips too little.
    """
    whole = rows.shape[1] // BLOCK * BLOCK
    if whole <= BLOCK:
        found: Tensor = torch.linalg.vector_norm(rows, dim=1)
        return found
    blocks: Tensor = torch.linalg.vector_norm(rows[:, :whole].unflatten(1, (-1, BLOCK)), dim=2)
    rest: Tensor = torch.linalg.vector_norm(rows[:, whole:], dim=1, keepdim=True)
    longest: Tensor = torch.linalg.vector_norm(torch.cat([blocks, rest], dim=1).double(), dim=1)
    return longest.to(rows.dtype)
