"""SWD section 6.3: GS-WGAN's model "with 20-fold more parameters", by the two numbers printed a paragraph before."""

from __future__ import annotations

from fractions import Fraction

from wassdp.claims.recomputed import Entry, Recomputed

OURS, OTHER = 180e3, 4e6
"""Printed: "approximately 180K parameters", "about 4M parameters"."""
FOLD = 20.0


def _entries(ours: float = OURS, other: float = OTHER) -> list[Entry]:
    """Half of the last printed digit of both numbers is permitted."""
    name, most = "parameters of GS-WGAN's over those of SWD's", (other + 5e5) / (ours - 5e3)
    return [
        Entry(
            name=name,
            printed=FOLD,
            found=other / ours,
            digit=most - FOLD,
            again=lambda: float(Fraction(other) / Fraction(ours)),
        )
    ]


def _flipped() -> list[Entry]:
    """With a model of half the size."""
    return _entries(other=OTHER / 2)


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Section 6.3, parameters",
    place="Section 6.3: 'at the expense of a model with 20-fold more parameters'",
    statement="GS-WGAN's model has 20 times the parameters of the generator, by the sizes that are printed of both",
    formula="|4M / 180K - 20| ≤ what half of the last digits of 4M and 180K make of it",
    entries=_entries,
    flipped_entries=_flipped,
)
