"""How far the worst neighbouring records that are known really move a release: what a lower bound rests on."""

from __future__ import annotations

from typing import NamedTuple


class Reach(NamedTuple):
    """Neighbouring records, and how far they move each release.

    An upper bound takes the sensitivity; that some records reach it is another statement, which only lower bounds need.

    Args:
        share: of the sensitivity that the run's event states, in [0, 1]; 0 where no pair is known.
        how: which records they are; where none are known, why.
        kept: probability with which a release shows what was moved, drawn anew and independently of all records; only
            shuffled passes are attacked where it is below 1.
    """

    share: float
    how: str
    kept: float = 1.0


UNKNOWN = Reach(0.0, "no neighbouring records are known that surely move such a release, as far as it may be moved")
GRADIENT_SPACE = "in gradient space: whether a valid record has such a gradient in every step is not asked"
