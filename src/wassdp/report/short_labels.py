"""Labels of lines that say no more than tells them apart: a legend beside a panel has no room for a whole setting."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pandas as pd

from wassdp.labels import parts_of
from wassdp.report import style

HEADING: style.Look = {"linestyle": ""}
"""Of an entry that is about those below it."""
LETTERS = 36
"""Of a line in a legend beside a panel."""
MOST = 12
"""Parts of a name, between commas, of which some are left out; a longer name stays whole."""


def short(names: Iterable[str], *, bare: bool = False) -> dict[str, str]:
    """Name to its first part and the fewest others, in their order, that no other name with this first part has.

    A name whose parts another has all of stays whole. Of several choices the earliest parts are taken.

    Args:
        names: parts between commas; what comes twice counts once.
        bare: a name whose parts another has all of does not stay whole: it is told from the others alone, and that one
            by what it has more.

    >>> short(["SWD, public labels, 2×2, 5 rows", "SWD, joint labels, 2×2, 5 rows", "SWD, joint labels, 2×2, all rows"])
    ... # doctest: +NORMALIZE_WHITESPACE
    {'SWD, public labels, 2×2, 5 rows': 'SWD, public labels',
     'SWD, joint labels, 2×2, 5 rows': 'SWD, joint labels, 5 rows',
     'SWD, joint labels, 2×2, all rows': 'SWD, all rows'}
    >>> short(["SWD, 2×2, ε = 1", "SWD, 2×2, canaries 1000, ε = 1"], bare=True)
    {'SWD, 2×2, ε = 1': 'SWD', 'SWD, 2×2, canaries 1000, ε = 1': 'SWD, canaries 1000'}
    """
    parts = {name: tuple(parts_of(name)) for name in dict.fromkeys(names)}
    return {
        name: ", ".join(
            _telling(
                own, [set(other) for other in parts.values() if other != own and not (bare and {*own} <= {*other})]
            )
        )
        for name, own in parts.items()
    }


def _telling(own: tuple[str, ...], others: list[set[str]]) -> tuple[str, ...]:
    rest = own[1:] if len(own) <= MOST else ()
    for count in range(len(rest) + 1):
        for chosen in combinations(rest, count):
            if not any(other.issuperset((own[0], *chosen)) for other in others):
                return own[0], *chosen
    return own


def grouped(rows: pd.DataFrame, looks: dict[str, style.Look]) -> list[tuple[str, style.Look]]:
    """Entries of a legend: under each neighbouring relation, said once, the short names of its lines.

    Args:
        rows: of each line its ``line``, the key of its look, what it is ``called`` and its ``relation``, which is empty
            without privacy.
        looks: of each line.
    """
    entries: list[tuple[str, style.Look]] = []
    for relation, lines in rows.drop_duplicates("line").groupby("relation", sort=False):
        head = f"{relation!s}:" if relation else "without privacy:"
        entries.append((style.filled(head, LETTERS), HEADING))
        entries += [
            (style.filled(called, LETTERS), looks[line])
            for line, called in zip(lines["line"], lines["called"], strict=True)
        ]
    return entries
