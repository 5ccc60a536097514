"""SWD Proposition 1 (Mironov 2017, Proposition 3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import mpmath
import numpy as np

from wassdp.claims import outcomes, shrinking
from wassdp.claims.inequality import Inequality
from wassdp.claims.outcomes import Pair


@dataclass(frozen=True)
class Case:
    """Two neighbours' outcomes, the order α and δ."""

    pair: Pair
    order: float
    delta: float

    def __str__(self) -> str:
        return f"{self.pair}, α = {self.order:.6g}, δ = {self.delta:.6g}"


def _draw(generator: np.random.Generator) -> Case:
    """δ is where the conversion is worst for the rare outcome: P(rare) ((α-1)/α)^{α-1}/..., half of the time about."""
    pair, excess = outcomes.draw(generator), 10 ** generator.uniform(-2, 1.5)
    delta = pair.p[0] * ((excess + 1) / excess) ** excess * generator.choice((1.0, 10 ** generator.uniform(-2, 0)))
    return Case(pair, float(1 + excess), float(min(delta, 0.999)))


def _found(case: Case, share: float) -> float:
    p, q = case.pair.arrays
    epsilon = outcomes.renyi(p, q, case.order) + share * math.log(1 / case.delta) / (case.order - 1)
    return outcomes.hockey_stick(p, q, epsilon) / case.delta if epsilon < 700 else 0.0


def _plain(case: Case) -> float:
    with mpmath.workdps(50):
        p, q = outcomes.plain(case.pair)
        order, delta = mpmath.mpf(case.order), mpmath.mpf(case.delta)
        moment = sum(a * (a / b) ** (order - 1) for a, b in zip(p, q, strict=True))
        # e^ε = (E (P/Q)^{α-1})^{1/(α-1)} δ^{-1/(α-1)}
        return float(outcomes.over_events(p, q, (moment / delta) ** (1 / (order - 1))) / delta)


def _simpler(case: Case) -> Iterator[Case]:
    yield from shrinking.rounder(case, "order", "delta")
    for pair in (*shrinking.rounder(case.pair, "p"), *shrinking.rounder(case.pair, "q")):
        if min(*pair.p, *pair.q) > 0:
            yield Case(pair, case.order, case.delta)


def _possible(case: Case) -> bool:
    return case.order > 1 and 0 < case.delta < 1


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Proposition 1",
    place="Section 2.2",
    statement="an (α, ε)-RDP mechanism is (ε + log(1/δ)/(α-1), δ)-DP",
    formula="D_α(P‖Q) ≤ ε ⇒ P(S) ≤ e^{ε + log(1/δ)/(α-1)} Q(S) + δ",
    compared="δ found / stated",
    draw=_draw,
    ratio=lambda case: _found(case, 1.0),
    verified=_plain,
    corrupted=lambda case: _found(case, 0.5),
    simpler=lambda case: filter(_possible, _simpler(case)),
    usual=5000,
    few=300,
)
