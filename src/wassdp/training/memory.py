"""Memory that is asked for again at every step is kept by the process instead of being given back each time."""

from __future__ import annotations

import ctypes
import logging

logger = logging.getLogger(__name__)

# Parameters of mallopt, from glibc's malloc.h.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4


def keep_freed_memory() -> bool:
    """Ask the C library to keep freed blocks, and say whether it does; where it cannot, nothing changes.

    A step on a batch of a thousand images allocates blocks of 150 MB. By default glibc maps each from the kernel,
    which fills it with zeros page by page: that takes about half of the time of a step on one core. Results do not
    depend on it.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    kept = bool(mallopt(_MMAP_MAX, 0)) and bool(mallopt(_TRIM_THRESHOLD, 2**31 - 1)) and bool(mallopt(_TOP_PAD, 2**26))
    logger.debug("freed memory is kept: %s", kept)
    return kept
