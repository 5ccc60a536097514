"""Products that are computed in the precision of their factors, whatever a caller has switched on.

A caller may trade digits for speed, all over a process: TF32 keeps 10 bits of a factor, bfloat16 7, and autocast rounds
a sum of products to as many. Noise is scaled to what one record moves, and what rounds a sum of thousands of records
to 8 bits moves by as much as many of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch

T = TypeVar("T")
_BACKENDS: Any = torch.backends
_ON_PROCESSOR = (_BACKENDS.mkldnn.matmul, _BACKENDS.mkldnn.conv, _BACKENDS.mkldnn.rnn)
_ELSEWHERE = (_BACKENDS.cuda.matmul, _BACKENDS.cudnn.conv, _BACKENDS.cudnn.rnn)
_INHERITED = (_BACKENDS, _BACKENDS.cudnn)
_AS_THEY_ARE = ("ieee", "none")
TYPES = (torch.float32, torch.float64)
"""Those with digits enough for sums of records."""


def refuse_few_digits(what: str, dtype: torch.dtype) -> None:
    """Check that numbers have digits enough for sums of records.

    Raises:
        ValueError: they have not; the message begins with ``what``.
    """
    if dtype not in TYPES:
        raise ValueError(f"{what} of {dtype}: must be of torch.float32 or torch.float64")


@contextlib.contextmanager
def full_precision(device: torch.device) -> Iterator[None]:
    """Within it, products of single-precision numbers on ``device`` are in single precision.

    What was switched on is so again afterwards: `torch.autocast`, `torch.set_float32_matmul_precision`, and each of the
    settings ``torch.backends.….allow_tf32`` and ``fp32_precision``.
    """
    kind = device.type
    casting = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
    with torch.autocast(kind, enabled=False) if casting else contextlib.nullcontext():
        concerned = _ON_PROCESSOR if kind == "cpu" else _ELSEWHERE
        if all(each.fp32_precision in _AS_THEY_ARE for each in concerned):
            yield
            return
        with _all_whole():
            yield


@contextlib.contextmanager
def _all_whole() -> Iterator[None]:
    # The older settings are set as well, since torch refuses to read them while they contradict the newer ones.
    older = _readable(torch.get_float32_matmul_precision), _readable(lambda: _BACKENDS.cudnn.allow_tf32)
    inherited = [each.fp32_precision for each in _INHERITED]
    for each in _INHERITED:
        each.fp32_precision = "none"
    own = [each.fp32_precision for each in (*_ON_PROCESSOR, *_ELSEWHERE)]
    try:
        torch.set_float32_matmul_precision("highest")
        _BACKENDS.cudnn.allow_tf32 = False
        for each in (*_ON_PROCESSOR, *_ELSEWHERE):
            each.fp32_precision = "ieee"
        yield
    finally:
        if older[0] is not None:
            torch.set_float32_matmul_precision(older[0])
        if older[1] is not None:
            _BACKENDS.cudnn.allow_tf32 = older[1]
        for each, value in zip((*_ON_PROCESSOR, *_ELSEWHERE), own, strict=True):
            each.fp32_precision = value
        for each, value in zip(_INHERITED, inherited, strict=True):
            each.fp32_precision = value


def _readable(read: Callable[[], T]) -> T | None:
    """None where the newer settings are in use, which the older ones cannot tell."""
    try:
        return read()
    except RuntimeError:
        return None
