"""Normal numbers in single precision from a counter's words, compiled for the processor: those of torch, sooner.

Words and numbers go through a buffer that the first cache holds, where `wassdp.noise.single` reads and writes its
buffers a dozen times.

Source of the words: Salmon, Moraes, Dror and Shaw (2011), section 3.3 and table 2; of the numbers:
`wassdp.noise.single`.
"""

from __future__ import annotations

import functools
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
from wassdp.noise.compiled.machine_code import machine_code
from wassdp.noise.quantile import BITS, HALF

_WORD, _HALF, _INDEX = np.uint64, np.int32, np.uint32
_MULTIPLIERS = _WORD(philox.MULTIPLIERS[0]), _WORD(philox.MULTIPLIERS[1])
_STEPS = _WORD(philox.STEPS[0]), _WORD(philox.STEPS[1])
_HALVES = 2 * philox.BLOCK
"""Half words of a block, each a number's."""
_BLOCKS = 256
"""Blocks at a time: their words and numbers stay in the first cache."""
_GROUP = 64
"""Half words that are looked at together for rare ones, of which one group in eight has any; divides a buffer's."""
_TAIL, _SIGN = _HALF(single.TAIL), _HALF(~single.TAIL)
_LEAST = _HALF(single.LEAST)
_SHIFT = _HALF(single.MANTISSA - BITS)
_FIRST_CELL = _HALF(single.FIRST_CELL)
_REST, _ONE = _HALF((1 << (single.MANTISSA - BITS)) - 1), _HALF(single.BIAS << single.MANTISSA)
_MIDDLE = np.float32(1 + HALF)


@intrinsic
def _product(context: Any, first: Any, second: Any) -> Any:
    """Upper and lower 64 bits of a product of two words, for which there is one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide, word = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(each, wide) for each in arguments))
        halves = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word), builder.trunc(product, word)
        return context.make_tuple(builder, signature.return_type, halves)

    return numba.types.UniTuple(numba.uint64, 2)(numba.uint64, numba.uint64), generate


def _made() -> Callable[..., int]:
    """The kernel, compiled when it is first called."""
    # Constants of the compiled code, which nothing can have changed meanwhile: only then are eight read at a time.
    constant, slope, curvature = (np.ascontiguousarray(row) for row in single.table().coefficients.numpy())

    @machine_code
    def next_round(a: Any, b: Any, c: Any, d: Any, key0: Any, key1: Any) -> Any:
        high0, low0 = _product(a, _MULTIPLIERS[0])
        high1, low1 = _product(c, _MULTIPLIERS[1])
        return high1 ^ b ^ key0, low1, high0 ^ d ^ key1, low0, key0 + _STEPS[0], key1 + _STEPS[1]

    @machine_code
    def draw_words(first: Any, counter: Any, key: Any, words: Any) -> None:
        # Read once: writing words might change them, for all that the compiler knows.
        counter1, counter2, counter3, key0, key1 = counter[1], counter[2], counter[3], key[0], key[1]
        for block in range(_BLOCKS):
            a, b, c, d, k, l = first + _WORD(block), counter1, counter2, counter3, key0, key1  # noqa: E741
            for _ in range(philox.ROUNDS):
                a, b, c, d, k, l = next_round(a, b, c, d, k, l)  # noqa: E741
            place = philox.BLOCK * block
            words[place], words[place + 1], words[place + 2], words[place + 3] = a, b, c, d

    @machine_code
    def evaluate(halves: Any, out: Any) -> None:
        # Every sum and product is rounded for itself, none is fused or reordered.
        for place in range(len(out)):
            half = halves[place]
            raw = np.float32(max(_HALF(half & _TAIL), _LEAST)).view(np.int32)
            cell = _INDEX(_HALF(_HALF(raw >> _SHIFT) - _FIRST_CELL))
            distance = np.float32(_HALF(_HALF(raw & _REST) | _ONE).view(np.float32) - _MIDDLE)
            value = np.float32(np.float32(curvature[cell] * distance) + slope[cell])
            value = np.float32(np.float32(value * distance) + constant[cell])
            out[place] = _HALF(value.view(np.int32) ^ _HALF(half & _SIGN))

    @machine_code
    def find_rare(halves: Any, count: Any, before: Any, where: Any, rare: Any, found: Any) -> Any:
        for group in range(0, count, _GROUP):
            least = _TAIL
            for place in range(group, group + _GROUP):
                least = min(least, _HALF(halves[place] & _TAIL))
            if least < _LEAST:
                for place in range(group, min(group + _GROUP, count)):
                    if _HALF(halves[place] & _TAIL) < _LEAST:
                        where[found], rare[found] = before + place, halves[place]
                        found += 1
        return found

    @machine_code
    def fill(first: Any, counter: Any, key: Any, out: Any, where: Any, rare: Any) -> Any:
        words = np.empty(philox.BLOCK * _BLOCKS, dtype=np.uint64)
        halves = words.view(np.int32)
        found = 0
        for before in range(0, len(out), len(halves)):
            draw_words(first + _WORD(before // _HALVES), counter, key, words)
            some = out[before : before + len(halves)]
            evaluate(halves, some)
            found = find_rare(halves, len(some), before, where, rare, found)
        return found

    return fill


@functools.cache
def _kernel() -> Callable[..., int]:
    """Fills numbers of blocks ``first``, ``first + 1``, …, as bits, and the beginning of what is rare; gives its count.

    Its numbers have been torch's on this machine: what was compiled is not taken on trust.

    Raises:
        RuntimeError: they are others.
    """
    kernel = _made()
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
    found, where, rare = _called(kernel, count, 3, counter, key)
    places = short.nonzero().flatten()
    if not all(map(torch.equal, (found, where, rare), (expected, places, halves[places]))):
        raise RuntimeError("Numba's normal numbers are not torch's on this machine; nothing is drawn")
    return kernel


def _called(
    kernel: Callable[..., int], count: int, start: int, counter: np.ndarray, key: np.ndarray
) -> tuple[Float[Tensor, " count"], Int64[Tensor, " rare"], Int32[Tensor, " rare"]]:
    skipped = 2 * (start % philox.BLOCK)
    # By NumPy, as every place is written to: torch, where it is deterministic, would fill them first.
    whole = torch.from_numpy(np.empty(-(-(skipped + count) // _HALVES) * _HALVES, dtype=np.float32))
    # Room for all, of which the system gives only what is written to.
    where, rare = np.empty(len(whole), dtype=np.int64), np.empty(len(whole), dtype=np.int32)
    first = counter[0] + np.uint64(start // philox.BLOCK)
    found = kernel(first, counter, key, whole.view(torch.int32).numpy(), where, rare)
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
    return _called(_kernel(), count, start, counter, key)
