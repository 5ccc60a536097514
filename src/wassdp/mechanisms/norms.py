"""Norms that are right at every length that a number can have."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor


def norms(rows: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
    """L2 norms of the rows, of short ones too, whose entries' squares vanish: taken for 0, they would not be clipped.

    >>> norms(torch.tensor([[3e-30, 4e-30], [3.0, 4.0], [0.0, 0.0]])).tolist()[1:]
    [5.0, 0.0]
    """
    found: Tensor = torch.linalg.vector_norm(rows, dim=1)
    short = found < 1e6 * math.sqrt(torch.finfo(rows.dtype).tiny)
    if rows.shape[1] and bool(short.any()):
        largest = rows.abs().amax(dim=1, keepdim=True)
        scaled = torch.linalg.vector_norm(rows / torch.where(largest > 0, largest, 1.0), dim=1)
        found = torch.where(short, largest[:, 0] * scaled, found)
    return found
