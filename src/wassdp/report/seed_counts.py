"""How many seeds an experiment has results of, of those configured: that of its settings, which may differ."""

from __future__ import annotations

from collections.abc import Collection


def counted(settings: Collection[int], *, seeds: int | None, runs: int | None) -> str:
    """The fewest and the most seeds of a setting, of those configured; one number where all have as many.

    Args:
        settings: seeds with results of each setting that has any.
        seeds: configured for each setting; None where nobody knows.
        runs: configured in all; where those of ``settings`` cannot be all of them, a setting has no seed yet.

    >>> counted([10, 10], seeds=10, runs=20), counted([10, 1], seeds=10, runs=20), counted([3], seeds=10, runs=20)
    ('10 of 10', '1 to 10 of 10', '0 to 3 of 10')
    >>> counted([2, 2], seeds=None, runs=None)
    '2 of ?'
    """
    lacking = seeds is not None and runs is not None and len(settings) * seeds < runs
    least, most = (0 if lacking else min(settings, default=0)), max(settings, default=0)
    present = str(most) if least == most else f"{least} to {most}"
    return f"{present} of {'?' if seeds is None else seeds}"
