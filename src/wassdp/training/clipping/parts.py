"""How a batch is worked off: in parts that caches hold, images in the fastest layout, products in full precision."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import torch
from torch import Tensor

FIRST = 16
"""Examples in a call's first part; what its layers held says how many fit in the next."""

BYTES = {True: 8 * 2**20, False: 2**28}
"""About what one layer may hold of a part: on a processor (True) what its caches hold, elsewhere more."""


@contextlib.contextmanager
def full_precision(device: torch.device) -> Iterator[None]:
    """Without TF32, whose factors have 10 bits: norms and clipped sums that differ by that much are not clipped."""
    if device.type == "cpu":
        yield
        return
    before, cudnn = torch.get_float32_matmul_precision(), torch.backends.cudnn
    torch.set_float32_matmul_precision("highest")
    try:
        with cudnn.flags(
            enabled=cudnn.enabled, benchmark=cudnn.benchmark, deterministic=cudnn.deterministic, allow_tf32=False
        ):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def channels_last(inputs: Tensor) -> Tensor:
    """Images with their channels last in memory, which a processor's convolutions and poolings run fastest on."""
    if inputs.ndim != 4 or inputs.device.type != "cpu":
        return inputs
    _, channels, height, width = inputs.shape
    # One channel is in both orders at once; the strides say which one is meant.
    strides = (channels * height * width, 1, width * channels, channels)
    return inputs.contiguous(memory_format=torch.channels_last).as_strided(inputs.shape, strides)


def equal_part(left: int, *, most: int) -> int:
    """Size of equal parts: a small last one costs as much overhead as a full one."""
    return math.ceil(left / max(1, math.ceil(left / most)))
