"""Bits that a test writes down."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


class Scripted:
    """Gives the words of ``script`` one after the other, and says how many are left."""

    def __init__(self, *script: int) -> None:
        self.script = list(script)

    def words(self, count: int) -> np.ndarray:
        assert count <= len(self.script), "the script is over"
        found, self.script = self.script[:count], self.script[count:]
        return np.array(found, dtype=np.uint64)

    def get_state(self) -> Tensor:
        return torch.tensor([])

    def set_state(self, state: Tensor) -> None:
        raise NotImplementedError


def joined(word: int, *more: int) -> int:
    """The tail probability that words stand for, in units of 2^-64 for each of them."""
    tail = word & ((1 << 63) - 1)
    for each in more:
        tail = (tail << 64) | each
    return tail
