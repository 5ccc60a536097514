"""WG Section 5.3: one subsampled step is C_p(G)-DP, in profiles: Lemma 5.1 for the Gaussian mechanism.

Pairs are those that a gradient's noise shows: a record at x, replaced by one at x', |x - x'| at most the sensitivity,
in the batch with probability p; without it the batch is at 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from wassdp.accounting.formulas.conversions import gdp_to_delta
from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality


@dataclass(frozen=True)
class Step:
    """x, x', the rate p, Δ/σ and ε; places in units of σ."""

    place: float
    other: float
    rate: float
    mean: float
    epsilon: float

    def __str__(self) -> str:
        return (
            f"x = {self.place:.6g}, x' = {self.other:.6g}, p = {self.rate:.6g}, Δ/σ = {self.mean:.6g}, "
            f"ε = {self.epsilon:.6g}"
        )


def _draw(generator: np.random.Generator) -> Step:
    mean, rate = float(10 ** generator.uniform(-0.5, 0.7)), float(generator.choice((0.05, 0.2, 0.5, 0.9)))
    place = float(generator.choice((mean, 0.0, generator.uniform(-1, 1) * mean)))
    other = float(generator.choice((place - mean, place + mean, place + generator.uniform(-1, 1) * mean)))
    return Step(place, other, rate, mean, math.log1p(rate * math.expm1(float(generator.uniform(0, 2) * mean))))


def _found(case: Step) -> float:
    """δ of the pair at ε: where P's density is above e^ε times Q's, by its roots and normal distribution functions."""

    def excess(y: float) -> float:
        p, q = (
            (1 - case.rate) * math.exp(-(y**2) / 2) + case.rate * math.exp(-((y - x) ** 2) / 2)
            for x in (case.place, case.other)
        )
        return p - math.exp(case.epsilon) * q

    grid = np.linspace(-12, 12, 241)
    values = [excess(float(y)) for y in grid]
    edges = [-40.0]
    for low, high, one, two in zip(grid[:-1], grid[1:], values[:-1], values[1:], strict=True):
        if one * two < 0:
            edges.append(float(optimize.brentq(excess, low, high, xtol=1e-14)))
    edges.append(40.0)
    mass = [_mass(case, low, high) for low, high in itertools.pairwise(edges)]
    return sum(max(0.0, part) for part in mass)


def _mass(case: Step, low: float, high: float) -> float:
    p, q = (
        (1 - case.rate) * (special.ndtr(high) - special.ndtr(low))
        + case.rate * (special.ndtr(high - x) - special.ndtr(low - x))
        for x in (case.place, case.other)
    )
    return float(p - math.exp(case.epsilon) * q)


def _stated(case: Step, rate: float) -> float:
    """P δ_G(ε₀) at ε = log(1 + p (e^{ε₀} - 1))."""
    return rate * gdp_to_delta(case.mean, math.log1p(math.expm1(case.epsilon) / rate))


def _ratio(case: Step, rate: float) -> float:
    found = _found(case)
    return 0.0 if found < 1e-7 else found / _stated(case, rate)


def _plain(case: Step) -> float:
    """By Riemann sums, less what they may be off."""
    y = np.arange(-12, 12, 1e-3)
    bells = [np.exp(-((y - x) ** 2) / 2) / math.sqrt(2 * math.pi) for x in (0.0, case.place, case.other, case.mean)]
    p, q = ((1 - case.rate) * bells[0] + case.rate * bell for bell in bells[1:3])
    found = float(np.maximum(p - math.exp(case.epsilon) * q, 0).sum() * 1e-3)
    base = 1 + (math.exp(case.epsilon) - 1) / case.rate
    stated = case.rate * float(np.maximum(bells[3] - base * bells[0], 0).sum() * 1e-3)
    return 0.0 if found < 1e-6 else (1 - 1e-3) * found / stated


def _simpler(case: Step) -> Iterator[Step]:
    for other in shrinking.rounder(case, "mean", "place", "other", "epsilon"):
        if other.mean > 0 and abs(other.place - other.other) <= other.mean:
            yield other


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 5.3, one step",
    place="Section 5.3, on Theorem 4.2 of Dong et al.",
    statement="one noisy gradient on a batch without replacement has the profile of C_p of the Gaussian mechanism",
    formula="δ(ε) ≤ p δ_G(ε₀), ε = ln(1 + p(e^{ε₀} - 1)), ε ≥ 0, δ_G of Lemma 2.3 at μ = Δ/σ",
    compared="δ found / stated",
    draw=_draw,
    ratio=lambda case: _ratio(case, case.rate),
    verified=_plain,
    corrupted=lambda case: _ratio(case, case.rate / 2),
    simpler=_simpler,
    usual=2000,
    few=150,
)
