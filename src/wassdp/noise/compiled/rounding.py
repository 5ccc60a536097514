"""Values rounded with noise in double precision, compiled for the processor: as `wassdp.noise.blocks`, sooner.

Steps and their order are the same, and so are the bounds on their errors. What these leave undecided goes back to the
caller, as it does there: a release is a function of values, deviation and bits, whichever of the two decides most.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from wassdp.noise import blocks, quantile, settle
from wassdp.noise.compiled.machine_code import machine_code
from wassdp.noise.quantile import BIAS, BITS, CELLS, HALF, MANTISSA, OCTAVES

_WORD, _INDEX = np.int64, np.uint64
_TAIL, _SIGN, _LEAST = _WORD(blocks.TAIL), _WORD(~blocks.TAIL), _WORD(blocks.LEAST)
_SHIFT = _WORD(MANTISSA - BITS)
_FIRST_CELL = _WORD(quantile.first_cell(settle.WORD))
_REST, _ONE = _WORD((1 << (MANTISSA - BITS)) - 1), _WORD(BIAS << MANTISSA)
_MIDDLE = 1 + HALF
_WHOLE = 1.5 * 2.0**MANTISSA
"""Added to a number below 2^51 and taken away again, it leaves the nearest whole one, of two the even one."""
_BLOCK = 1024
"""Numbers at a time, whose margins stay in the first cache."""
_GROUP = 64
"""Numbers that are looked at together for undecided ones, which hardly any is; divides a block."""
_APART = 2.0**-44
"""What torch's normal numbers and the kernel's may differ by: what is undecided allows for it."""
_UNDECIDED = 1.0
"""Margin of a number whose tail probability is below the table's; others have 1/2 at most."""


def _made() -> Callable[..., int]:
    """The kernel, compiled when it is first called."""
    # Constants of the compiled code, which nothing can have changed meanwhile: only then are several read at a time.
    c0, c1, c2, c3, c4 = (np.ascontiguousarray(row) for row in quantile.table().coefficients.numpy())

    @machine_code
    def evaluate(words: Any, x: Any, inverse: Any, step: Any, ratio: Any, noisy: Any, margins: Any) -> None:
        # Every sum and product is rounded for itself, none is fused or reordered.
        for place in range(len(noisy)):
            word = words[place]
            tail = word & _TAIL
            raw = np.float64(max(tail, _LEAST)).view(np.int64)
            cell = _INDEX((raw >> _SHIFT) - _FIRST_CELL)
            distance = _WORD((raw & _REST) | _ONE).view(np.float64) - _MIDDLE
            value = c4[cell] * distance + c3[cell]
            value = value * distance + c2[cell]
            value = value * distance + c1[cell]
            value = value * distance + c0[cell]
            # The word's first bit becomes the number's sign.
            normal = _WORD(np.float64(value).view(np.int64) ^ (word & _SIGN)).view(np.float64)
            scaled = x[place] * inverse
            below = np.floor(scaled)
            offset = normal * ratio + (scaled - below)
            nearest = (offset + _WHOLE) - _WHOLE
            noisy[place] = (below + nearest) * step
            margins[place] = abs(offset - nearest) if tail >= _LEAST else _UNDECIDED

    @machine_code
    def fill(words: Any, x: Any, inverse: Any, step: Any, ratio: Any, margin: Any, noisy: Any, undecided: Any) -> Any:
        margins = np.zeros(_BLOCK)
        found = 0
        for before in range(0, len(noisy), _BLOCK):
            here = slice(before, before + _BLOCK)
            some = noisy[here]
            evaluate(words[here], x[here], inverse, step, ratio, some, margins)
            for group in range(0, len(some), _GROUP):
                largest = 0.0
                for place in range(group, group + _GROUP):
                    largest = max(largest, margins[place])
                if largest > margin:
                    for place in range(group, min(group + _GROUP, len(some))):
                        if margins[place] > margin:
                            undecided[found] = before + place
                            found += 1
        return found

    return fill


@functools.cache
def _kernel() -> Callable[..., int]:
    """The kernel, once it has given torch's numbers on this machine: noise rests on what was compiled.

    Raises:
        RuntimeError: it gives others.
    """
    kernel = _made()
    random = np.random.Generator(np.random.Philox(key=2**64 - 59))
    # Tail probabilities at both ends of every cell of the table, 1/2, and some below the table's; all of both signs.
    width = (settle.WORD - 2 - BITS) - np.arange(OCTAVES)[:, None]
    first = CELLS + np.arange(CELLS) << width
    last = first + (1 << width) - 1
    below = random.integers(0, blocks.LEAST, CELLS)
    tails = np.concatenate([first.ravel(), last.ravel(), [blocks.TAIL], below])
    words = torch.from_numpy(np.concatenate([tails, tails | ~blocks.TAIL]))
    values = torch.from_numpy(random.normal(size=len(words)) * 10.0 ** (np.arange(len(words)) % 40 - 20))
    # On a coarse grid, where a fifth is undecided, it has to find the same; on a fine one, where the normal number is
    # all that there is, the same but for last bits that the two may round differently.
    for x, step, ratio, error, apart in (
        (values, 0.125, 1.3, 0.1, 0.0),
        (0 * values, 2.0**-45, 2.0**45, 0.0, _APART),
    ):
        found, places = _called(kernel, x, words, step=step, ratio=ratio, error=error)
        expected, others = blocks.rounded(x, words, step=step, ratio=ratio, error=error)
        decided = torch.ones(len(words), dtype=torch.bool).index_fill_(0, torch.tensor(others), False)
        if places != sorted(set(others)) or not bool(((found - expected)[decided].abs() <= apart).all()):
            raise RuntimeError("Numba's rounded noise is not torch's on this machine; nothing is drawn")
    return kernel


def _called(
    kernel: Callable[..., int],
    x: Float[Tensor, " count"],
    words: Int64[Tensor, " count"],
    *,
    step: float,
    ratio: float,
    error: float,
) -> tuple[Float64[Tensor, " count"], list[int]]:
    # By NumPy, as every place is written to: torch, where it is deterministic, would fill them first. Room for all that
    # is undecided, of which the system gives only what is written to.
    noisy, undecided = np.empty(len(x)), np.empty(len(x), dtype=np.int64)
    found = kernel(words.numpy(), x.double().numpy(), 1 / step, step, ratio, 0.5 - error, noisy, undecided)
    return torch.from_numpy(noisy), undecided[:found].tolist()


def rounded(
    x: Float[Tensor, " count"], words: Int64[Tensor, " count"], *, step: float, ratio: float, error: float
) -> tuple[Float64[Tensor, " count"], list[int]]:
    """As `wassdp.noise.blocks.rounded`, on the processor; undecided places come in order, and may be more.

    Raises:
        RuntimeError: what this machine compiled gives other numbers than torch.
    """
    return _called(_kernel(), x, words, step=step, ratio=ratio, error=error + ratio * _APART)
