"""When δ is so large that a budget says little: δ times the number of records, above which it is marked everywhere."""

from __future__ import annotations

LARGE_SHARE = 0.1
"""From here on it is marked."""


def large(share: float) -> bool:
    """Whether ``share``, δ × records, is to be marked; what rounding adds to 0.1 is not.

    >>> large(1e-5 * 60_000), large(1e-5 * 10_000)
    (True, False)
    """
    return share > LARGE_SHARE * (1 + 1e-9)
