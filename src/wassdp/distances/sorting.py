"""Sort the last axis: torch's sort, or faster ones on the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

# Below this many rows times columns the packing costs more than it saves.
WORTH = 1 << 12

# Values packed at a time: their keys stay in a processor's second cache.
BLOCK = 1 << 15


def sort(values: Tensor) -> tuple[Tensor, Tensor]:
    """Sorted values and the permutation that sorts them, along the last axis; ties in order of position.

    No gradient flows: callers scatter with the permutation.
    """
    if _vectorised(values):
        return (_packed if values.dtype == torch.float32 else _argsorted)(values.detach())
    ordered, order = torch.sort(values.detach(), dim=-1, stable=True)
    return ordered, order


def values_alone(values: Tensor) -> Tensor:
    """Sorted values without the permutation, which costs several times as much as they do. No gradient flows."""
    if _vectorised(values):
        return torch.from_numpy(np.sort(values.detach().numpy(), axis=-1))
    return torch.sort(values.detach(), dim=-1).values


def differentiable(values: Tensor) -> tuple[Tensor, Tensor]:
    """As `sort`; the gradient of the sorted values goes back to where each came from."""
    ordered, order = _Sorted.apply(values)
    return ordered, order


def differentiable_values(values: Tensor) -> Tensor:
    """As `differentiable`, without the permutation; it is found only if a gradient will need it."""
    if torch.is_grad_enabled() and values.requires_grad:
        return differentiable(values)[0]
    return values_alone(values)


def unsort(values: Tensor, order: Tensor) -> Tensor:
    """What stands in sorted order, back to where each entry came from: by a permutation, so that all are written."""
    if values.is_cuda:
        # There a deterministic write sorts positions as well, and takes several times as long.
        return values.gather(-1, order.argsort(dim=-1))
    return torch.empty_like(values).scatter_(-1, order, values)


def _vectorised(values: Tensor) -> bool:
    return values.device.type == "cpu" and values.dtype in (torch.float32, torch.float64) and values.numel() >= WORTH


def _packed(values: Tensor) -> tuple[Tensor, Tensor]:
    """One 64-bit key per value: the value's bits, made monotone, above its position.

    NumPy sorts 64-bit integers with vector instructions, several times faster than any argsort that keeps ties in
    order. Finite values only (the callers check).
    """
    count = values.shape[-1]
    rows = values.reshape(-1, count).numpy()
    ordered, order = np.empty(rows.shape, np.float32), np.empty(rows.shape, np.int64)
    at_once, positions = max(1, BLOCK // count), np.arange(count, dtype=np.int64)
    for first in range(0, len(rows), at_once):
        here = slice(first, first + at_once)
        # Adding 0.0 turns -0.0, which equals 0.0, into it.
        keys = _monotone((rows[here] + 0.0).view(np.int32)).astype(np.int64)
        keys <<= 32
        keys |= positions
        keys.sort(axis=-1)
        np.bitwise_and(keys, 0xFFFFFFFF, out=order[here])
        keys >>= 32
        ordered[here] = _monotone(keys.astype(np.int32)).view(np.float32)
    return torch.from_numpy(ordered).view(values.shape), torch.from_numpy(order).view(values.shape)


def _argsorted(values: Tensor) -> tuple[Tensor, Tensor]:
    """NumPy's argsort of 64-bit numbers has vector instructions too, which leave ties in any order.

    Those are then sorted by one key each, the number of their run of ties above their position.
    """
    count = values.shape[-1]
    rows = values.reshape(-1, count).numpy()
    ordered, order = np.empty(rows.shape, np.float64), np.empty(rows.shape, np.int64)
    at_once = max(1, BLOCK // count)
    for first in range(0, len(rows), at_once):
        here = slice(first, first + at_once)
        places = np.argsort(rows[here], axis=-1)
        found = np.take_along_axis(rows[here], places, axis=-1)
        same = found[:, 1:] == found[:, :-1]
        if same.any():
            begins, tied = np.ones(found.shape, bool), np.zeros(found.shape, bool)
            np.logical_not(same, out=begins[:, 1:])
            tied[:, 1:] = same
            tied[:, :-1] |= same
            keys = begins.cumsum().reshape(found.shape)[tied] << 32
            keys |= places[tied]
            keys.sort()
            places[tied] = keys & 0xFFFFFFFF
            # Once more for 0.0 and -0.0, which are equal and not the same.
            found = np.take_along_axis(rows[here], places, axis=-1)
        ordered[here], order[here] = found, places
    return torch.from_numpy(ordered).view(values.shape), torch.from_numpy(order).view(values.shape)


def _monotone(bits: np.ndarray[Any, np.dtype[np.int32]]) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Negative floats order backwards: flipping their 31 lower bits mends that, and undoes itself; in place."""
    flips = bits >> 31
    flips &= 0x7FFFFFFF
    bits ^= flips
    return bits


class _Sorted(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor) -> tuple[Tensor, Tensor]:
        ordered, order = sort(values)
        ctx.save_for_backward(order)
        ctx.mark_non_differentiable(order)
        return ordered, order

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> Tensor:
        (order,) = ctx.saved_tensors
        return unsort(gradient, order)
