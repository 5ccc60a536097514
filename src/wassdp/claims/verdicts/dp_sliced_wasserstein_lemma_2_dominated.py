"""SWD Section 8.2: "if k < d, the bound is mostly dominated by the term log(1/δ)". The reading: for δ of at most 1e-3.

Dominated: more than half of the bound, the largest δ being that of Table 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from wassdp.accounting.formulas.sliced_tails import bernstein
from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality


@dataclass(frozen=True)
class Bounded:
    """k, d and the exponent of δ = 10^-exponent."""

    projections: int
    dimension: int
    exponent: int

    def __str__(self) -> str:
        return f"k = {self.projections}, d = {self.dimension}, δ = 1e-{self.exponent}"


def _draw(generator: np.random.Generator) -> Bounded:
    d = int(generator.integers(2, 10_000))
    k = d - 1 if generator.random() < 0.5 else int(generator.integers(1, d))
    return Bounded(k, d, int(generator.integers(3, 11)))


def _half(case: Bounded) -> float:
    """Half of the bound over its term in log(1/δ)."""
    tail = 10.0**-case.exponent
    return bernstein(case.projections, case.dimension, tail) / 2 / (-2 / 3 * math.log(tail))


def _plain(case: Bounded) -> float:
    k, d, log_term = case.projections, case.dimension, case.exponent * math.log(10)
    root = math.sqrt(Fraction(k * (d - 1), d + 2) * Fraction(log_term))
    return float((Fraction(k, d) + 2 * Fraction(root) / d) / Fraction(2 * log_term / 3) + 1) / 2


def _for_more_directions(case: Bounded) -> float:
    """For ten times as many directions."""
    other = Bounded(10 * case.dimension + case.projections, case.dimension, case.exponent)
    return _half(other)


def _simpler(case: Bounded) -> Iterator[Bounded]:
    for name, least in (("projections", 1), ("dimension", 2), ("exponent", 3)):
        yield from (
            other for other in shrinking.smaller(case, name, least=least) if other.projections < other.dimension
        )


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Lemma 2, dominant term",
    place="Section 8.2, after the proof",
    statement="for k < d directions the term in log(1/δ) is more than half of the bound, δ ≤ 1e-3",
    formula="(2/3) ln(1/δ) ≥ w(k, δ)/2 for k < d",
    compared="w/2 / term",
    draw=_draw,
    ratio=_half,
    verified=_plain,
    corrupted=_for_more_directions,
    simpler=_simpler,
    usual=10000,
    few=500,
)
