"""Which rule computes a run, as a pattern of its id: short, whatever the number of runs.

Snakemake goes through the text of a constraint for every file name that it makes. A list of all ids takes a time that
grows with its square: at 10,000 runs, minutes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

NONE = "none"
"""A pattern that fits no id."""


def patterns(phases: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Rule to pattern of the ids that it computes: one for each phase in ``names``, and ``account`` for all of them.

    Args:
        phases: id (hex digits) to phase; that of a run whose result was put back is in no rule.
        names: phases that are rules.
    """
    groups = {name: {name} for name in names} | {"account": set(names)}
    return {
        rule: pattern(
            [run for run, phase in phases.items() if phase in group],
            [run for run, phase in phases.items() if phase not in group],
        )
        for rule, group in groups.items()
    }


def pattern(chosen: Collection[str], others: Collection[str]) -> str:
    r"""A pattern that fits all of ``chosen`` and none of ``others``: a tree of digits, cut where it tells them apart.

    >>> pattern(["0a1", "0b2", "1c3"], ["0c4", "2a5"])
    '(?:[0](?:[ab]\\w*)|[1]\\w*)'
    """
    if not chosen:
        return NONE
    if not others:
        return r"\w*"
    branches: dict[str, list[str]] = {}
    for digit in sorted({run[0] for run in chosen}):
        inside, outside = ([run[1:] for run in runs if run[0] == digit] for runs in (chosen, others))
        branches.setdefault(pattern(inside, outside), []).append(digit)
    parts = (f"[{''.join(digits)}]{rest}" for rest, digits in branches.items())
    return f"(?:{'|'.join(parts)})"
