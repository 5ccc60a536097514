"""WG Lemma 2.3: the Gaussian mechanism's privacy profile (Dong, Roth and Su 2022, Corollary 2.13)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import mpmath
import numpy as np
from scipy import special

from wassdp.accounting.formulas.conversions import gdp_to_delta
from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True)
class Case:
    """Sensitivity over σ, how much of it two neighbours use, and ε."""

    mean: float
    share: float
    epsilon: float

    def __str__(self) -> str:
        return f"Δ₂h/σ = {self.mean:.6g}, neighbours at {self.share:.6g} of it, ε = {self.epsilon:.6g}"


def _draw(generator: np.random.Generator) -> Case:
    mean = float(10 ** generator.uniform(-1, 1))
    return Case(mean, float(generator.choice((1.0, generator.random()))), float(generator.uniform(0, 3) * mean))


def _found(case: Case) -> float:
    """∫ (p - e^ε q)₊ from the point where p = e^ε q on, by Gauss and Legendre."""
    mean = case.mean * case.share
    if mean < 1e-6:
        return 0.0
    start = case.epsilon / mean + mean / 2
    reach = 12 / (1 + max(0.0, start - mean))
    x = start + reach * (NODES + 1) / 2
    values = np.exp(-((x - mean) ** 2) / 2) * -np.expm1(case.epsilon - mean * x + mean**2 / 2)
    return float(NODE_WEIGHTS @ values * reach / 2 / math.sqrt(2 * math.pi))


def _plain(case: Case) -> float:
    with mpmath.workdps(40):
        used = mpmath.mpf(case.mean) * mpmath.mpf(case.share)
        if used < 1e-6:
            return 0.0
        deltas = []
        for mean in (used, mpmath.mpf(case.mean)):
            far, near = (mpmath.mpf(case.epsilon) / mean + sign * mean / 2 for sign in (1, -1))
            deltas.append(
                mpmath.erfc(near / mpmath.sqrt(2)) - mpmath.exp(case.epsilon) * mpmath.erfc(far / mpmath.sqrt(2))
            )
        return float(deltas[0] / deltas[1])


def _one_sided(case: Case) -> float:
    """With the second term twice."""
    second = math.exp(case.epsilon + float(special.log_ndtr(-case.epsilon / case.mean - case.mean / 2)))
    stated = gdp_to_delta(case.mean, case.epsilon) - second
    return _found(case) / stated if stated > 0 else math.inf


def _simpler(case: Case) -> Iterator[Case]:
    yield from (
        other for other in shrinking.rounder(case, "share", "mean", "epsilon") if min(other.mean, other.share) > 0
    )


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Lemma 2.3",
    place="Section 2",
    statement="noise σ on a function of sensitivity Δ₂ is (ε, Φ(-ε/μ + μ/2) - e^ε Φ(-ε/μ - μ/2))-DP, μ = Δ₂/σ",
    formula="H_{e^ε}(N(h(D), σ²I)‖N(h(D̃), σ²I)) ≤ Φ(-ε/μ + μ/2) - e^ε Φ(-ε/μ - μ/2), ε ≥ 0",
    compared="δ found / stated",
    draw=_draw,
    ratio=lambda case: _found(case) / gdp_to_delta(case.mean, case.epsilon),
    verified=_plain,
    corrupted=_one_sided,
    simpler=_simpler,
    usual=5000,
    few=200,
)
