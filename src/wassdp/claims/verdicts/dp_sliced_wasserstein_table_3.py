"""SWD Table 3: how many parameters its generator has, which section 6.3 says are approximately 180K.

The table reshapes 784 numbers to 28 x 28 and doubles twice, which would end at 112 x 112, and prints no number of maps.
In the code that it points to, DP-MERF's, dense layers end in 16 maps of 7 x 7, and the first convolution in 8 maps.
"""

from __future__ import annotations

from wassdp.claims.recomputed import Entry, Recomputed

PRINTED, DIGIT = 180_000.0, 5_000.0
"""Section 6.3: "approximately 180K parameters", half of the last digit either way."""


def parameters(*, maps: int) -> int:
    """Of dense layers 20 - 200 - 784 with batch normalisation, and convolutions 5 x 5 from 16 maps to ``maps`` to one.

    >>> parameters(maps=8)
    167161
    """
    dense = (20 + 1) * 200 + 2 * 200 + (200 + 1) * 784 + 2 * 784
    return dense + (25 * 16 + 1) * maps + 25 * maps + 1


def _entries(maps: int = 8) -> list[Entry]:
    name = f"parameters with 16 maps of 7 x 7, then {maps}"
    return [Entry(name=name, printed=PRINTED, found=parameters(maps=maps), digit=DIGIT)]


def _flipped() -> list[Entry]:
    """With as many maps as make 180K."""
    return _entries(maps=32)


CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Table 3",
    place="Table 3, and Section 6.3: 'with approximately 180K parameters'",
    statement="the generator of Table 3, its maps those of the code that it points to, has 180K parameters, up to 5K",
    formula="|21·200 + 2·200 + 201·784 + 2·784 + (25·16 + 1)m + 25m + 1 - 180,000| ≤ 5,000, m = 8",
    entries=_entries,
    flipped_entries=_flipped,
    lacking="the numbers of maps, and how 784 values that are reshaped to 28 x 28 and doubled twice end at 28 x 28",
)
