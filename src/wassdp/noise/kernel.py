"""Normal numbers in single precision from a counter's words, compiled for the processor: those of torch, sooner.

Between two numbers nothing leaves a register, where `wassdp.noise.single` reads and writes its buffers a dozen times.
Numba, which makes it, takes a second or two to load: `wassdp.noise.normal` asks for it where much is drawn at once.

Source of the words: Salmon, Moraes, Dror and Shaw (2011), section 3.3 and table 2; of the numbers:
`wassdp.noise.single`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import torch
from jaxtyping import Float, Int32, Int64
from llvmlite import ir
from numba.extending import intrinsic
from torch import Tensor

from wassdp.noise import philox, single
from wassdp.noise.quantile import BITS, HALF

_WORD, _HALF, _INDEX = np.uint64, np.int32, np.uint32
_MULTIPLIERS = _WORD(philox.MULTIPLIERS[0]), _WORD(philox.MULTIPLIERS[1])
_STEPS = _WORD(philox.STEPS[0]), _WORD(philox.STEPS[1])
_HALVES = 2 * philox.BLOCK
"""Half words of a block, each a number's; fewer than the cipher has rounds."""
_TAIL, _SIGN = _HALF(single.TAIL), _HALF(~single.TAIL)
_LEAST = _HALF(single.LEAST)
_SHIFT = _HALF(single.MANTISSA - BITS)
_FIRST_CELL = _HALF(single.FIRST_CELL)
_REST, _ONE = _HALF((1 << (single.MANTISSA - BITS)) - 1), _HALF(single.BIAS << single.MANTISSA)
_MIDDLE = np.float32(1 + HALF)


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    # Without what checks shapes where the package is imported for that: Numba reads the function's own code.
    compiled: Callable[..., Any] = numba.njit(nogil=True)(inspect.unwrap(function))
    return compiled


@intrinsic
def _upper_half(context: Any, first: Any, second: Any) -> Any:
    """The upper 64 bits of a product of two words, for which there is one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(each, wide) for each in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return numba.uint64(numba.uint64, numba.uint64), generate


@_compiled
def _round(a: Any, b: Any, c: Any, d: Any, key0: Any, key1: Any) -> Any:
    high0, low0 = _upper_half(_MULTIPLIERS[0], a), _MULTIPLIERS[0] * a
    high1, low1 = _upper_half(_MULTIPLIERS[1], c), _MULTIPLIERS[1] * c
    return high1 ^ b ^ key0, low1, high0 ^ d ^ key1, low0, key0 + _STEPS[0], key1 + _STEPS[1]


@_compiled
def _number(half: Any, tail: Any, constant: Any, slope: Any, curvature: Any) -> Any:
    """Bits of the number of half a word; every sum and product is rounded for itself, none is fused or reordered."""
    raw = np.float32(tail).view(np.int32)
    cell = _INDEX(_HALF(_HALF(raw >> _SHIFT) - _FIRST_CELL))
    distance = np.float32(_HALF(_HALF(raw & _REST) | _ONE).view(np.float32) - _MIDDLE)
    value = np.float32(np.float32(curvature[cell] * distance) + slope[cell])
    value = np.float32(np.float32(value * distance) + constant[cell])
    return _HALF(value.view(np.int32) ^ _HALF(half & _SIGN))


@_compiled
def _numbers(first: Any, counter: Any, key: Any, rows: Any, out: Any, where: Any, rare: Any) -> Any:
    """Fill ``out`` with numbers of blocks ``first``, ``first + 1``, …, as bits; with what is rare, its beginning only.

    A block's rounds wait for each other: meanwhile the numbers of the block before are computed, one in each.
    """
    words = np.empty((2, philox.BLOCK), dtype=np.uint64)
    halves = words.view(np.int32)
    constant, slope, curvature = rows[0], rows[1], rows[2]
    a, b, c, d, k, l = first, counter[1], counter[2], counter[3], key[0], key[1]  # noqa: E741
    for _ in range(philox.ROUNDS):
        a, b, c, d, k, l = _round(a, b, c, d, k, l)  # noqa: E741
    words[0, 0], words[0, 1], words[0, 2], words[0, 3] = a, b, c, d
    found = 0
    for block in range(len(out) // _HALVES):
        a, b, c, d = first + _WORD(block + 1), counter[1], counter[2], counter[3]
        k, l = key[0], key[1]  # noqa: E741
        now, after = halves[block & 1], words[(block + 1) & 1]
        for place in range(_HALVES):
            a, b, c, d, k, l = _round(a, b, c, d, k, l)  # noqa: E741
            half = now[place]
            tail = _HALF(half & _TAIL)
            if tail < _LEAST:
                where[found], rare[found] = _HALVES * block + place, half
                found += 1
                tail = _LEAST
            out[_HALVES * block + place] = _number(half, tail, constant, slope, curvature)
        for _ in range(philox.ROUNDS - _HALVES):
            a, b, c, d, k, l = _round(a, b, c, d, k, l)  # noqa: E741
        after[0], after[1], after[2], after[3] = a, b, c, d
    return found


@functools.cache
def _rows() -> Float[np.ndarray, "powers cells"]:
    """The table, once numbers from it have been torch's on this machine: what was compiled is not taken on trust.

    Raises:
        RuntimeError: they are others.
    """
    rows = np.ascontiguousarray(single.table().coefficients.numpy())
    # Large and small words, of both signs, from within a block on.
    key = np.array([2**64 - 59, 2**63 + 12345], np.uint64)
    counter = np.array([2**40 - 3, 7, 2**63 + 9, 2**33], np.uint64)
    cipher = np.random.Philox(key=key, counter=counter)
    cipher.random_raw(3)
    count = 10_001
    halves = torch.from_numpy(cipher.random_raw(count).view(np.int32))[:count]
    expected, short = single.normal(halves)
    # NumPy counts up before each block.
    counter[0] += np.uint64(1)
    found, where, rare = _called(count, 3, counter, key, rows)
    places = short.nonzero().flatten()
    if not all(map(torch.equal, (found, where, rare), (expected, places, halves[places]))):
        raise RuntimeError("Numba's normal numbers are not torch's on this machine; nothing is drawn")
    return rows


def _called(
    count: int, start: int, counter: np.ndarray, key: np.ndarray, rows: np.ndarray
) -> tuple[Float[Tensor, " count"], Int64[Tensor, " rare"], Int32[Tensor, " rare"]]:
    skipped = 2 * (start % philox.BLOCK)
    # By NumPy, as every place is written to: torch, where it is deterministic, would fill them first.
    whole = torch.from_numpy(np.empty(-(-(skipped + count) // _HALVES) * _HALVES, dtype=np.float32))
    # Room for all, of which the system gives only what is written to.
    where, rare = np.empty(len(whole), dtype=np.int64), np.empty(len(whole), dtype=np.int32)
    first = counter[0] + np.uint64(start // philox.BLOCK)
    found = _numbers(first, counter, key, rows, whole.view(torch.int32).numpy(), where, rare)
    within = slice(*np.searchsorted(where[:found], [skipped, skipped + count]))
    places, short = (torch.from_numpy(each[within].copy()) for each in (where, rare))
    return whole[skipped : skipped + count], places - skipped, short


def normal(
    count: int, *, start: int, counter: np.ndarray, key: np.ndarray
) -> tuple[Float[Tensor, " count"], Int64[Tensor, " rare"], Int32[Tensor, " rare"]]:
    """``count`` numbers of half words, as `wassdp.noise.single.normal` makes them; where half a word is too short.

    Args:
        count: at least 0.
        start: the first word, in the stream whose word 0 begins block ``counter``.
        counter: four words; the first counts blocks.
        key: two words.

    Returns:
        The numbers, the places of those whose tail probability is below the table's, and the half words there.

    Raises:
        RuntimeError: what this machine compiled gives other numbers than torch.
    """
    return _called(count, start, counter, key, _rows())
