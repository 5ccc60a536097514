"""How a batch is worked off: in parts that caches hold, images in the fastest layout."""

from __future__ import annotations

import math

import torch
from torch import Tensor

FIRST = 16
"""Examples in a call's first part; what its layers held says how many fit in the next."""

BYTES = {True: 8 * 2**20, False: 2**28}
"""About what one layer may hold of a part: on a processor (True) what its caches hold, elsewhere more."""


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
