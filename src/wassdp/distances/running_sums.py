"""Running sums along the last axis, the same in every run, on any device."""

from __future__ import annotations

import torch
from torch import Tensor


def running_sums(values: Tensor, *, increasing: bool = False) -> Tensor:
    """The sum of each entry and all before it. Differentiable, unless ``increasing``.

    `torch.cumsum` of floats has no deterministic form on CUDA, so that reproducible runs are refused there. Instead
    log2(n) additions, each to what stands twice as far before; fewer of them lie behind a sum, which is the more exact.

    Args:
        values: summands, shape (..., n).
        increasing: for summands of at least 0: no sum is below the one before it, whatever the rounding.
    """
    if values.device.type == "cpu":
        return values.cumsum(dim=-1)  # one after another, hence increasing where it can be
    sums, distance = values, 1
    while distance < values.shape[-1]:
        sums = torch.cat([sums[..., :distance], sums[..., distance:] + sums[..., :-distance]], dim=-1)
        distance *= 2
    return sums.cummax(dim=-1).values if increasing else sums
