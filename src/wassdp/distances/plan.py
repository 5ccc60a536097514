"""The optimal plan on the line: which sorted points share mass, and how much.

Both cumulative weights cut [0, 1] into pieces; on each piece of the merged cut one point of either
side is matched. There are at most n + m − 1 pieces, never an n×m matrix.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
from torch import Tensor

from wassdp.distances.running_sums import running_sums


@dataclass(frozen=True)
class TransportPlan:
    """Pieces of the merged cut: positions in the sorted samples, and probabilities, shape (..., pieces)."""

    left: Tensor
    right: Tensor
    share: Tensor


@functools.lru_cache(maxsize=32)
def uniform_plan(left: int, right: int, device: torch.device) -> TransportPlan | None:
    """The plan between uniform weights on ``left`` and ``right`` points; None for equal sizes: the identity.

    Cuts are whole numbers, in units of 1/(n m), so that a million points leave no rounding.
    """
    if left == right:
        return None
    cuts = torch.unique(torch.cat([torch.arange(left + 1) * right, torch.arange(right + 1) * left]))
    starts, share = cuts[:-1], cuts.diff().to(torch.float64) / (left * right)
    return TransportPlan(*(part.to(device) for part in (starts // right, starts // left, share)))


def weighted_plan(left: Tensor, right: Tensor) -> TransportPlan:
    """The plan between weights in the order of the sorted points, shapes (..., n) and (..., m), double precision.

    Ends of the two sides that rounding alone can keep apart are one cut, so that no piece is made of rounding. A
    weight of no more than that may get no piece.
    """
    ends = [_ends(weights) for weights in (left, right)]
    ends[1] = _snapped(ends[1], ends[0])
    cuts = torch.cat(ends, dim=-1).sort(dim=-1).values
    starts = torch.cat([torch.zeros_like(cuts[..., :1]), cuts[..., :-1]], dim=-1)
    # The point whose interval of mass (start, end] a piece lies in: counted by the ends before its middle.
    middles = 0.5 * (starts + cuts)
    points = [torch.searchsorted(sums.contiguous(), middles, right=True).clamp(max=sums.shape[-1] - 1) for sums in ends]
    return TransportPlan(points[0], points[1], cuts - starts)


def _ends(weights: Tensor) -> Tensor:
    """Where each point's interval of mass ends: a point of weight 0 ends where the one before it does."""
    positive, positions = weights > 0, torch.arange(weights.shape[-1], device=weights.device)
    sums = torch.where(positive, running_sums(weights, increasing=True).clamp(max=1.0), 0.0).cummax(dim=-1).values
    # The last point that has mass ends at 1, whatever the sums' rounding.
    last = torch.where(positive, positions, 0).amax(dim=-1, keepdim=True)
    return torch.where(positions >= last, 1.0, sums)


def _snapped(ends: Tensor, others: Tensor) -> Tensor:
    """``ends``, each moved to the nearest of the ``others`` if rounding alone can have kept the two apart.

    Of n weights of sum 1, each rounded once as given, their total, the division by it and the running sum are wrong by
    at most (n + 1) units in the last place of 1; both sides together by n + m + 2, at most twice n + m.
    """
    tolerance = 2 * (ends.shape[-1] + others.shape[-1]) * torch.finfo(torch.float64).eps
    after = torch.searchsorted(others.contiguous(), ends.contiguous()).clamp(max=others.shape[-1] - 1)
    above, below = others.gather(-1, after), others.gather(-1, (after - 1).clamp(min=0))
    nearest = torch.where((above - ends).abs() <= (ends - below).abs(), above, below)
    return torch.where((nearest - ends).abs() <= tolerance, nearest, ends)


def weights(name: str, given: Tensor | None, sample: Tensor) -> Tensor:
    """Weights of a sample, of its shape, double precision, sum 1.

    Raises:
        ValueError: the shape fits neither the sample nor its last axis, a weight is negative or not finite, or the
            sum is 0.
    """
    points = sample.shape[-1]
    if given is None:
        return torch.full_like(sample, 1 / points, dtype=torch.float64)
    if given.shape not in (sample.shape, sample.shape[-1:]):
        raise ValueError(f"{name} has shape {tuple(given.shape)}: must be ({points},) or {tuple(sample.shape)}")
    masses = given.detach().to(torch.float64)
    if not bool((torch.isfinite(masses) & (masses >= 0)).all()):
        raise ValueError(f"{name}: must be finite and at least 0")
    total = masses.sum(dim=-1, keepdim=True)
    if not bool((total > 0).all()):
        raise ValueError(f"{name}: must not all be 0")
    return (masses / total).expand(sample.shape)
