"""What the C library does with memory that a run frees: keep it for the next step, which asks for as much again.

By default it gives large blocks back to the system at once, and each page that is asked for anew is found, emptied and
mapped again. A step of DP-SWD draws 30 MB of directions, which cost a fifth of their drawing that way.
"""

from __future__ import annotations

import ctypes
import sys

# From malloc.h of the GNU C library, the only one that has `mallopt` and does this.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT, _OWN_MAPPING = 1 << 30, 256 << 20
"""Bytes that may lie unused at the end of the heap, and of the least block that gets, and gives back, its own pages."""


def keep_freed() -> bool:
    """Let this process keep freed memory, for good; whether the C library is one that can."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_TRIM_THRESHOLD, _KEPT) and mallopt(_MMAP_THRESHOLD, _OWN_MAPPING))
