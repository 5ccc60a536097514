"""SWD section 6.3: GS-WGAN's model "with 20-fold more parameters", by the two numbers printed a paragraph before."""

from __future__ import annotations

from fractions import Fraction

from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.verdicts.dp_sliced_wasserstein_table_3 import DIGIT, PRINTED

OTHER, OTHER_DIGIT = 4e6, 5e5
"""Printed: "about 4M parameters", half of the last digit either way; the generator's stand with Table 3."""
FOLD = 20.0


def _entries(other: float = OTHER) -> list[Entry]:
    """Half of the last printed digit of both numbers is permitted."""
    most = (other + OTHER_DIGIT) / (PRINTED - DIGIT)
    return [
        Entry(
            name="parameters of GS-WGAN's over those of SWD's",
            printed=FOLD,
            found=other / PRINTED,
            digit=most - FOLD,
            again=lambda: float(Fraction(other) / Fraction(PRINTED)),
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
