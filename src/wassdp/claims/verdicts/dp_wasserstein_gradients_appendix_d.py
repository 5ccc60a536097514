"""WG Appendix D: the gradient of W_p itself jumps by 2 for neighbours, however many records there are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality
from wassdp.claims.moved_gradients import shares

Values = Float[np.ndarray, "n n"]


@dataclass(frozen=True)
class Example:
    """n records and the order p."""

    records: int
    order: int

    def __str__(self) -> str:
        return f"n = {self.records}, p = {self.order}"


def _draw(generator: np.random.Generator) -> Example:
    return Example(int(generator.integers(1, 200)), int(generator.integers(1, 6)))


def _power(case: Example, shift: float, start: int) -> float:
    """W_p^p of the shifted records from start/n on and the public points, by ranks."""
    places = np.arange(case.records)
    x, z = (places + start) / case.records + shift, (2 * places + 1) / (2 * case.records)
    gaps: Values = np.abs(x[:, None] - z)
    return float((shares(case.records, case.records) * gaps**case.order).sum())


def _jump(case: Example, root: float) -> float:
    """By central differences at θ = 0, inside the interval where W_p is linear."""
    step = 1 / (8 * case.records)
    slopes = [
        (math.pow(_power(case, step, start), 1 / root) - math.pow(_power(case, -step, start), 1 / root)) / (2 * step)
        for start in (1, 0)
    ]
    return abs(slopes[0] - slopes[1])


def _plain(case: Example) -> float:
    """All gaps of matched points are 1/(2n) + θ, or θ - 1/(2n): |.| has the slope of that sign, with fractions."""
    half, step, jump = Fraction(1, 2 * case.records), Fraction(1, 10 * case.records), Fraction(0)
    for start, sign in ((1, 1), (0, -1)):
        gaps = [
            Fraction(place + start, case.records) - Fraction(2 * place + 1, 2 * case.records)
            for place in range(case.records)
        ]
        assert set(gaps) == {sign * half}, "every gap is the same, so that W_p is its absolute value"
        jump += sign * (abs(gaps[0] + step) - abs(gaps[0] - step)) / (2 * step)
    return float(2 / jump)


def _simpler(case: Example) -> Iterator[Example]:
    yield from shrinking.smaller(case, "records")
    yield from shrinking.smaller(case, "order")


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Appendix D",
    place="Appendix D; Section 8",
    statement="for every n and p there are neighbours whose gradients of W_p (no power) differ by 2 or more",
    formula="|Φ₀(X) - Φ₀(X̃)| ≥ 2, x_i = i/n, x̃_i = (i-1)/n, z_i = (2i-1)/(2n), g_θ(x) = x + θ",
    compared="2 / jump",
    draw=_draw,
    ratio=lambda case: 2 / _jump(case, case.order),
    verified=_plain,
    corrupted=lambda case: 2 / max(_jump(Example(case.records, 2), 1), 1e-9),
    simpler=_simpler,
    usual=2000,
    few=100,
)
