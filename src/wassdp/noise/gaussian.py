r"""Gaussian noise, exactly rounded: :math:`\operatorname{round}_γ(x + σZ)`, drawn from that very law.

Symbols: σ standard deviation, γ grid, Z a standard normal number with infinitely many bits.

One 64-bit word gives Z's sign and an interval of its tail probability. Double precision decides almost always to which
grid point the whole interval of x + σZ is rounded, since the error of every step is bounded; where it cannot, more bits
are read and mpmath decides (`wassdp.noise.settle`). So the result is a function of x, σ and the bits alone: the
processor and a CUDA device give the same one.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from types import ModuleType

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, doubles, full_precision
from wassdp.finite import all_finite
from wassdp.noise import blocks, philox, quantile, settle, single
from wassdp.noise.bits import Bits, CounterBits, next_word, signed_words

FINENESS = 16
"""The grid is at most σ 2^-16 and more than half of that."""
_SMALLEST, _LARGEST = 2.0**-900, 2.0**900
WORTH_COMPILING = 1 << 19
"""From so many numbers at once on, a kernel that takes two seconds to load pays: such are drawn in every step."""
_LEAST_COMPILED = 2 * philox.BLOCK
"""A block's numbers: fewer cannot be passed over in the stream."""


def grid(std: float) -> float:
    """γ for noise of standard deviation ``std``: a power of two in (σ 2^-17, σ 2^-16]. It depends on nothing private.

    Raises:
        ValueError: ``std`` is not above 0, or so extreme that the grid is no ordinary number.

    >>> grid(1.0) == 2.0**-16, grid(1.5) == 2.0**-16
    (True, True)
    """
    if not _SMALLEST <= checks.positive("std", std) <= _LARGEST:
        raise ValueError(f"std = {std!r}: must lie between 2^-900 and 2^900")
    return 2.0 ** (math.frexp(std)[1] - 1 - FINENESS)


def scaled(*factors: float) -> float:
    """The product of ``factors``, rounded up: a deviation is never below what an event states.

    >>> scaled(0.1, 3.0) >= 0.3
    True
    """
    return doubles.above(math.prod(map(Fraction, factors), start=Fraction(1)))


def rounded(x: Float[Tensor, " *shape"], *, std: float, generator: Bits) -> Float[Tensor, " *shape"]:
    r"""``x`` plus Gaussian noise, rounded to the nearest multiple of `grid`, drawn from the law of that rounding.

    Rounding is post-processing of x + σZ: what is proved for ideal noise holds for the result, to the last bit. In a
    narrower type than double the multiple is rounded once more, which is post-processing too.

    Args:
        x: any shape; finite.
        std: σ > 0; 0 returns ``x`` as it is, which protects nothing.
        generator: source of the bits, one word for each number, now and then a few more.

    Returns:
        As ``x`` in shape, type and device. Where ``x`` carries a gradient, it passes as through x + σZ.

    Raises:
        ValueError: ``std`` is out of range, ``x`` holds no floating-point numbers, which alone can hold noise, or
            halved ones, which round what one record moves, or a value of it is not finite or of another order
            altogether.

    >>> from wassdp.noise.bits import seeded
    >>> noisy = rounded(torch.zeros(1000, dtype=torch.float64), std=3.0, generator=seeded(0))
    >>> bool((noisy % grid(3.0) == 0).all()), round(float(noisy.std()))
    (True, 3)
    """
    if x.dtype not in full_precision.TYPES:
        raise ValueError(f"x: must be of torch.float32 or torch.float64, not {x.dtype}, before noise is added to it")
    if checks.non_negative("std", std) == 0:
        return x
    step = grid(std)
    noisy = _rounded(x.detach().flatten(), step=step, ratio=std / step, generator=generator)
    if not all_finite(noisy):
        raise ValueError(f"x: must be finite before noise is added to it, and at most 2^1000 times std = {std!r}")
    noisy = noisy.to(x.dtype).reshape(x.shape)
    # What is added is 0: the value stays, and the gradient passes as through x + σZ.
    return noisy + (x - x.detach()) if x.requires_grad else noisy


def _rounded(x: Float[Tensor, " count"], *, step: float, ratio: float, generator: Bits) -> Float[Tensor, " count"]:
    """``ratio`` σ/γ is exact, since γ is a power of two."""
    words = signed_words(generator, len(x), x.device)
    # Of offset + ratio·z in double: the quantile's own error, and a few roundings of numbers below 2^20.
    error = ratio * (quantile.table().error + 2.0**-49) + 2.0**-49
    compiled = _compiled(len(x)) if x.is_cpu else None
    noisy: Tensor
    noisy, undecided = (compiled or blocks).rounded(x, words, step=step, ratio=ratio, error=error)
    for index in sorted(set(undecided)):
        value = float(x[index]) * (1 / step)
        if math.isfinite(value):
            below = math.floor(value)
            word = int(words[index]) % (1 << settle.WORD)
            nearest = settle.nearest(word, offset=value - below, ratio=ratio, more=lambda: next_word(generator))
            noisy[index] = (float(below) + nearest) * step
    return noisy


def normal(
    *shape: int, generator: Bits, dtype: torch.dtype = torch.float64, device: torch.device | None = None
) -> Float[Tensor, ...]:
    """Standard normal numbers, each within 2^-40 of the ideal one that its bits stand for; 2^-20 in single precision.

    For what is published as it is, e.g. random directions; noise that protects something is `rounded`.

    Args:
        shape: of the result.
        generator: source of the bits, a word for each number, half a word in single precision, now and then more.
        dtype: of the result, to which numbers are rounded.
        device: of the result, the processor by default.

    >>> from wassdp.noise.bits import seeded
    >>> normal(2, 3, generator=seeded(0)).shape
    torch.Size([2, 3])
    """
    count, where = math.prod(shape), torch.device("cpu") if device is None else device
    if dtype == torch.float32:
        return _single(count, generator, where).reshape(shape)
    return _double(signed_words(generator, count, where), generator).to(dtype).reshape(shape)


def _double(words: Int64[Tensor, " count"], generator: Bits) -> Float[Tensor, " count"]:
    """Z of words, to within 2^-40."""
    numbers = torch.empty(len(words), dtype=torch.float64, device=words.device)
    rare: list[int] = []
    for here, block, below in blocks.Blocks(len(words), words.device).signed(words):
        numbers[here] = block
        rare += below
    for index in rare:
        word = int(words[index]) % (1 << settle.WORD)
        numbers[index] = settle.value(word, more=lambda: next_word(generator))
    return numbers


def _compiled(count: int) -> ModuleType | None:
    """The compiled kernels, for so many numbers: from `WORTH_COMPILING` on, and for fewer once they are there."""
    if count < (_LEAST_COMPILED if "wassdp.noise.compiled" in sys.modules else WORTH_COMPILING):
        return None
    from wassdp.noise import compiled

    return compiled


def _single(count: int, generator: Bits, device: torch.device) -> Float[Tensor, " count"]:
    """Z of half words, to within 2^-20; where half a word is too short, it is the first half of a whole one."""
    if count == 0:
        return torch.empty(0, device=device)
    words = -(-count // 2)
    numbers: Tensor
    if device.type == "cpu" and isinstance(generator, CounterBits) and (compiled := _compiled(count)) is not None:
        start, counter, key = generator.skip(words)
        numbers, where, short = compiled.normal(count, start=start, counter=counter, key=key)
    else:
        halves = signed_words(generator, words, device).view(torch.int32)[:count]
        numbers, rare = single.normal(halves)
        # NumPy finds few in many faster than torch, which need not bring all from a device.
        where = torch.from_numpy(rare.numpy().nonzero()[0]) if rare.is_cpu else rare.nonzero().flatten()
        short = halves[where]
    rest = signed_words(generator, len(where), device) & (2**single.HALF_WORD - 1)
    far = _double((short.long() << single.HALF_WORD) | rest, generator).float()
    if numbers.is_cpu:
        numbers[where] = far
        return numbers
    # In order of position: on a device, where indexed writes are sorted first for the sake of repetitions.
    return numbers.masked_scatter_(rare, far)
