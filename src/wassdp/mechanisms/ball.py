"""Points moved into a ball, so that what is released of them is bounded."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.mechanisms.dpsgd import cleared, clip_factors


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


def in_ball(points: Float[Tensor, "n d"], *, norm: float) -> Float[Tensor, "n d"]:
    """``points``, those outside moved to the nearest point of the ball of radius ``norm`` around 0.

    A point that is not finite, or whose norm is not, is moved to 0: stopping because of it would say that it is there.

    Raises:
        ValueError: ``norm`` is not positive and finite.

    >>> in_ball(torch.tensor([[3.0, 4.0], [0.0, 0.5]]), norm=1.0)
    tensor([[0.6000, 0.8000],
            [0.0000, 0.5000]])
    """
    factors = clip_factors(norms(points), clip_norm=norm)
    return cleared(points, factors) * factors[:, None]
