"""SWD Section 8.2: "the first and last terms in this bound have an inverse dependency on the dimension".

Read as: in m times the dimension they are an m-th, to 5 %, from d = 50 on, the least of Table 4. The first is exactly;
the last has the factor √((d-1)/(d+2)) too, .97 at d = 50. At small d that factor counts: from d = 2 to d = 4 the last
term falls by the factor .71, and from d = 1, where it vanishes, to d = 2 it grows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wassdp.accounting.formulas import sliced_tails
from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart

LEAST = 50
WITHIN = 1.05


@dataclass(frozen=True)
class Grown:
    """k, d, m and the exponent of δ = 10^-exponent."""

    projections: int
    dimension: int
    times: int
    exponent: int

    def __str__(self) -> str:
        return f"k = {self.projections}, from d = {self.dimension} to {self.times} d, δ = 1e-{self.exponent}"


def _draw(generator: np.random.Generator) -> Grown:
    return Grown(
        int(generator.integers(1, 2001)),
        LEAST if generator.random() < 0.3 else int(generator.integers(LEAST, 1000)),
        int(generator.integers(2, 101)),
        int(generator.integers(3, 11)),
    )


def _terms(case: Grown, dimension: int) -> tuple[float, float, float]:
    """The bound's terms: without the tail, of its logarithm, and the rest."""
    tail = 10.0**-case.exponent
    first = sliced_tails.bernstein(case.projections, dimension, 1.0)
    middle = -2 / 3 * math.log(tail)
    return first, middle, sliced_tails.bernstein(case.projections, dimension, tail) - first - middle


def _quotients(case: Grown) -> list[float]:
    pairs = zip(_terms(case, case.dimension), _terms(case, case.times * case.dimension), strict=True)
    return [apart(before, case.times * after) / WITHIN for before, after in pairs]


def _plain(case: Grown) -> float:
    """The last term alone: d² (d+2)/(d-1) over its square does not know k or δ."""
    d, m = case.dimension, case.times
    return math.sqrt((m * d - 1) * (d + 2) / ((m * d + 2) * (d - 1))) / WITHIN


def _simpler(case: Grown) -> Iterator[Grown]:
    for name, least in (("projections", 1), ("dimension", LEAST), ("times", 2), ("exponent", 3)):
        yield from shrinking.smaller(case, name, least=least)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Lemma 2, dependence on the dimension",
    place="Section 8.2, after the proof",
    statement="the first and the last term of the bound are inverse in the dimension, to 5 % from d = 50 on",
    formula="k/d and (2/d) √(k (d-1)/(d+2) ln 1/δ) at m d are 1/m of those at d, within 5 %",
    compared="m times the term at m d / the term at d, either way / 1.05",
    draw=_draw,
    ratio=lambda case: max(_quotients(case)[0], _quotients(case)[2]),
    verified=_plain,
    corrupted=lambda case: max(_quotients(case)),  # all three terms
    simpler=_simpler,
    usual=5000,
    few=100,
)
