"""Verdicts that several tests look at, computed once."""

from __future__ import annotations

import functools
import time

from wassdp.claims.checking import Checked, checked


def verdict(name: str) -> Checked:
    """What a few cases of a claim give."""
    return timed(name)[0]


@functools.cache
def timed(name: str) -> tuple[Checked, float]:
    """What a few cases of a claim give, and the processor's seconds that they took, whoever asked first."""
    begun = time.process_time()
    (found,) = checked([name], tried="few", seed=1)
    return found, time.process_time() - begun
