"""Sources of uniform random bits, in words of 64."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Int64, UInt64
from torch import Tensor

from wassdp import checks
from wassdp.noise import philox


@runtime_checkable
class Bits(Protocol):
    """A source of independent uniform 64-bit words."""

    def words(self, count: int) -> UInt64[np.ndarray, " count"]:
        """The next ``count`` words."""

    def get_state(self) -> Tensor:
        """Where the source is, for a checkpoint; empty where there is nothing to go back to."""

    def set_state(self, state: Tensor) -> None:
        """Go back to where `get_state` was asked."""


def next_word(bits: Bits) -> int:
    """The next word, as a whole number."""
    return int(bits.words(1)[0])


def signed_words(bits: Bits, count: int, device: torch.device) -> Int64[Tensor, " count"]:
    """The next ``count`` words on a device, as signed numbers: torch has no arithmetic on unsigned ones.

    Many words of a counter are computed where they are wanted; they are the same ones.
    """
    if isinstance(bits, CounterBits) and count >= philox.WORTH and philox.compiles(device):
        return bits.words_on(device, count)
    return torch.from_numpy(bits.words(count).view("int64")).to(device)


class CounterBits:
    """Words of a counter-based generator (Philox-4x64): the same key, the same words, on every machine.

    The key has 256 bits: 128 in the cipher's own key, 128 in the upper half of its counter. The lower half counts, so
    that two keys never share a stretch of words.

    Args:
        key: 32 bytes.

    Source: Salmon, Moraes, Dror and Shaw (2011), Parallel random numbers: as easy as 1, 2, 3.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise ValueError(f"key: has {len(key)} bytes, must have 32")
        whole = np.frombuffer(key, dtype="<u8").astype(np.uint64)
        counter = np.array([0, 0, whole[2], whole[3]], dtype=np.uint64)
        self._cipher = np.random.Philox(key=whole[:2], counter=counter)

    def words(self, count: int) -> UInt64[np.ndarray, " count"]:
        return np.asarray(self._cipher.random_raw(checks.whole("count", count)), dtype=np.uint64)

    def words_on(self, device: torch.device, count: int) -> Int64[Tensor, " count"]:
        """The next ``count`` words, as signed numbers, computed on a CUDA device (`wassdp.noise.philox`).

        Args:
            device: where `wassdp.noise.philox.compiles`.
            count: at least 4, a block.
        """
        start, *numbers = self.skip(count)
        counter, key = (each.view(np.int64).tolist() for each in numbers)
        return philox.words(start, count, counter=counter, key=key, device=device)

    def skip(self, count: int) -> tuple[int, UInt64[np.ndarray, " 4"], UInt64[np.ndarray, " 2"]]:
        """Pass over the next ``count`` words, for whoever computes them: the first, its block's counter, the key.

        Words are counted from the first of that block on.

        Args:
            count: at least 4, a block.
        """
        state = self._cipher.state
        counter, key = (state["state"][name].copy() for name in ("counter", "key"))
        # Words begin behind those that were read of the current block, the one that the counter names.
        start = state["buffer_pos"]
        # The cipher computes the last block of them for itself: what follows goes on behind it.
        blocks, rest = divmod(start + checks.whole("count", count, least=philox.BLOCK), philox.BLOCK)
        rest, blocks = (rest, blocks) if rest else (philox.BLOCK, blocks - 1)
        state["state"]["counter"][0] += np.uint64(blocks - 1)
        state["buffer_pos"] = philox.BLOCK
        self._cipher.state = state
        self._cipher.random_raw(rest)
        return start, counter, key

    def get_state(self) -> Tensor:
        state = self._cipher.state
        parts = (state["state"]["key"], state["state"]["counter"], state["buffer"], [state["buffer_pos"]])
        return torch.from_numpy(np.concatenate([np.asarray(part, dtype=np.uint64) for part in parts]).view(np.int64))

    def set_state(self, state: Tensor) -> None:
        words = state.numpy().view(np.uint64)
        if words.shape != (11,):
            raise ValueError(f"state has shape {words.shape}: must be (11,)")
        self._cipher.state = {
            "bit_generator": "Philox",
            "state": {"key": words[:2].copy(), "counter": words[2:6].copy()},
            "buffer": words[6:10].copy(),
            "buffer_pos": int(words[10]),
            "has_uint32": 0,
            "uinteger": 0,
        }


class SystemBits:
    """Words of the operating system's cryptographic generator: never repeated, nothing to publish or to go back to.

    Args:
        before: called once, before the first word is drawn.
    """

    def __init__(self, before: Callable[[], None] | None = None) -> None:
        self._before = before

    def words(self, count: int) -> UInt64[np.ndarray, " count"]:
        if self._before is not None:
            self._before()
            self._before = None
        return np.frombuffer(bytearray(os.urandom(8 * checks.whole("count", count))), dtype=np.uint64)

    def get_state(self) -> Tensor:
        return torch.zeros(0, dtype=torch.int64)

    def set_state(self, state: Tensor) -> None:
        if state.numel():
            raise ValueError("state: is that of a seeded source; the operating system's has none")


def seeded(seed: int, *names: str) -> CounterBits:
    """The stream of ``seed`` that ``names`` name: other seeds or names, an unrelated stream.

    Seed and names are hashed to 256 bits (SHA-256), so that streams are distinct, whatever the seeds.

    Raises:
        ValueError: ``seed`` is no whole number of at least 0.

    >>> seeded(0, "noise").words(1) == seeded(0, "noise").words(1)
    array([ True])
    >>> seeded(0, "noise").words(1) == seeded(2**32, "noise").words(1)
    array([False])
    """
    text = json.dumps([checks.whole("seed", seed), *names])
    return CounterBits(hashlib.sha256(text.encode()).digest())
