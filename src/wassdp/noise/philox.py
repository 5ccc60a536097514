"""Words of the counter-based generator, computed on a CUDA device: those of NumPy, without their way there.

A block is four words, a function of its number and the key alone (ten rounds of Philox-4x64), so that each thread of a
device computes the word it is to hold.

Source: Salmon, Moraes, Dror and Shaw (2011), Parallel random numbers: as easy as 1, 2, 3, section 3.3 and table 2.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

BLOCK = 4
"""Words of a block."""
WORTH = 1 << 14
"""From so many words on a kernel pays: on an H100's machine a call takes 140 µs, NumPy 9 ns for a word."""
MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
STEPS = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
"""What the key's two words grow by from round to round."""
ROUNDS = 10
_SOURCE = f"""
template <typename T>
T word(T index, T first, T counter1, T counter2, T counter3, T key0, T key1) {{
  typedef unsigned long long u64;
  u64 a = (u64)first + (u64)index / 4, b = counter1, c = counter2, d = counter3, k = key0, l = key1;
  for (int round = 0; round < {ROUNDS}; round++) {{
    u64 high0 = __umul64hi(0x{MULTIPLIERS[0]:X}ULL, a), low0 = 0x{MULTIPLIERS[0]:X}ULL * a;
    u64 high1 = __umul64hi(0x{MULTIPLIERS[1]:X}ULL, c), low1 = 0x{MULTIPLIERS[1]:X}ULL * c;
    a = high1 ^ b ^ k;
    b = low1;
    c = high0 ^ d ^ l;
    d = low0;
    k += 0x{STEPS[0]:X}ULL;
    l += 0x{STEPS[1]:X}ULL;
  }}
  int lane = (int)((u64)index % 4);
  return (T)(lane == 0 ? a : lane == 1 ? b : lane == 2 ? c : d);
}}
"""


def compiles(device: torch.device) -> bool:
    """Whether the kernel is for this device: NVIDIA's, for which torch brings the compiler."""
    return device.type == "cuda" and torch.version.cuda is not None


def _called(kernel: Callable[..., Tensor], indices: Tensor, counter: Sequence[int], key: Sequence[int]) -> Tensor:
    names = ("first", "counter1", "counter2", "counter3", "key0", "key1")
    return kernel(indices, **dict(zip(names, (*counter, *key), strict=True)))


@functools.cache
def _kernel(device: torch.device) -> Callable[..., Tensor]:
    """The kernel, once it has given NumPy's words on this device: noise rests on what this machine compiled.

    Raises:
        RuntimeError: it gives others.
    """
    kernel: Callable[..., Tensor] = torch.cuda.jiterator._create_jit_fn(
        _SOURCE, first=0, counter1=0, counter2=0, counter3=0, key0=0, key1=0
    )
    # Large and small, of both signs: no 64-bit step goes untried.
    key = np.array([2**64 - 59, 2**63 + 12345], np.uint64)
    counter = np.array([2**40 - 3, 7, 2**63 + 9, 2**33], np.uint64)
    expected = np.random.Philox(key=key, counter=counter).random_raw(WORTH).view(np.int64)
    # NumPy counts up before each block.
    counter[0] += np.uint64(1)
    found = _called(
        kernel, torch.arange(WORTH, device=device), counter.view(np.int64).tolist(), key.view(np.int64).tolist()
    )
    if found.cpu().tolist() != expected.tolist():
        raise RuntimeError(f"device {device}: words of its counter-based generator are not NumPy's; nothing is drawn")
    return kernel


def words(
    start: int, count: int, *, counter: Sequence[int], key: Sequence[int], device: torch.device
) -> Int64[Tensor, " count"]:
    """Words ``start`` to ``start + count - 1`` of the stream whose word 0 begins block ``counter``, signed.

    Args:
        start: at least 0.
        count: at least 0.
        counter: four words, signed; the first counts blocks.
        key: two words, signed.
        device: a CUDA device.

    Raises:
        RuntimeError: what this machine compiled for the device gives other words than NumPy.
    """
    return _called(_kernel(device), torch.arange(start, start + count, device=device), counter, key)
