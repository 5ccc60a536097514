"""How long a call takes, on a processor or a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

ONLY: list[str] = []
"""Devices that were asked for; empty for all there are."""


def devices() -> list[str]:
    """Where to measure: ``cpu`` and, where there is one, ``cuda``, or those of them that were asked for."""
    there = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    return [name for name in there if name in ONLY or not ONLY]


def mean_seconds(call: Callable[[], object], device: str, *, least: float = 0.0) -> float:
    """Mean seconds of ``call``, made once, or again until ``least`` seconds have passed.

    On ``cpu`` it is the time that this process works, so that other work on the machine does not count: with more than
    one thread the sum over them. On ``cuda`` it is the clock's, until the device has finished.
    """
    clock = time.process_time if device == "cpu" else time.perf_counter
    begin, calls = clock(), 0
    while calls == 0 or clock() - begin < least:
        call()
        if device == "cuda":
            torch.cuda.synchronize()
        calls += 1
    return (clock() - begin) / calls
